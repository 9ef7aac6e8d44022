export const fragment = graphql`
  fragment MessageList_query on Query
  @argumentDefinitions(first: { type: "Int", defaultValue: 20 }, after: { type: "String" })
  @refetchable(queryName: "MessageListPaginationQuery") {
    messages(first: $first, after: $after) @connection(key: "MessageList_messages") {
      edges {
        node {
          id
          status
        }
      }
    }
  }
`;
