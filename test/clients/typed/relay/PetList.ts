export const fragment = graphql`
  fragment PetList_query on Query
  @argumentDefinitions(first: { type: "Int", defaultValue: 20 }, after: { type: "String" })
  @refetchable(queryName: "PetListPaginationQuery") {
    pets(first: $first, after: $after) @connection(key: "PetList_pets") {
      edges {
        node {
          id
          name
        }
      }
    }
  }
`;
