export const fragment = graphql`
  fragment EventList_query on Query
  @argumentDefinitions(first: { type: "Int", defaultValue: 20 }, after: { type: "String" })
  @refetchable(queryName: "EventListPaginationQuery") {
    events(first: $first, after: $after) @connection(key: "EventList_events") {
      edges {
        node {
          id
          position
        }
      }
    }
  }
`;
