export const fragment = graphql`
  fragment ConversationList_query on Query
  @argumentDefinitions(first: { type: "Int", defaultValue: 20 }, after: { type: "String" })
  @refetchable(queryName: "ConversationListPaginationQuery") {
    conversations(first: $first, after: $after) @connection(key: "ConversationList_conversations") {
      edges {
        node {
          id
          state
        }
      }
    }
  }
`;
