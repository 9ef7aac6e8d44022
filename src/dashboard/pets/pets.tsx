import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { FilterSelect } from "../ui/filter-select";
import filterStyles from "../ui/filters.module.css";
import { Icon } from "../ui/icon";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import { Name } from "../ui/name";
import { Empty, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { columnsOf } from "../ui/table";
import { PetsDocument } from "./documents.generated";
import { PetTag, STATUS_OPTIONS } from "./pet-status";

const COLUMNS = columnsOf("Name", "ID", "Category", "Status");

const { component: AddPet } = loaded(async () => (await import("./add-pet")).AddPet);

/** Build → Pets: the pet store that all API keys share. */
export function Pets() {
  const address = useListAddress();
  const { manages, deactivated } = useViewer();
  const [adding, setAdding] = useState(false);
  const status = address.oneOf("status", STATUS_OPTIONS) || null;
  const query = usePolledQuery(
    PetsDocument,
    { first: PAGE_SIZE, after: address.after, status },
    { pollMs: 15_000 },
  );
  const add = () => setAdding(true);
  return (
    <Page
      section="Build"
      title="Pets"
      lead="The petstore, a sample API that all organizations on this server share."
      actions={
        manages && (
          <Button leftSection={<Icon of={IconPlus} size={16} />} disabled={deactivated} onClick={add}>
            Add pet
          </Button>
        )
      }
    >
      <div className={pageStyles.card}>
        <search className={filterStyles.filters}>
          <FilterSelect name="status" label="Status" all="All statuses" options={STATUS_OPTIONS} />
        </search>
        <List
          label="Pets"
          columns={COLUMNS}
          query={query}
          connection={query.data?.pets}
          filters={["status"]}
          empty={
            <Empty title="No pets yet">
              <p>Add one here, or with an API key: POST /v1/pets.</p>
              {manages && (
                <Button size="xs" disabled={deactivated} onClick={add}>
                  Add your first pet
                </Button>
              )}
            </Empty>
          }
          cells={({ id, name, categoryId, status: state }) => [
            <strong key="name">
              <Name>{name}</Name>
            </strong>,
            <span key="id" className="numbers">
              {id}
            </span>,
            <span key="category" className="numbers">
              {categoryId}
            </span>,
            state === null ? "–" : <PetTag key="status" status={state} />,
          ]}
        />
      </div>
      {adding && <AddPet onClosed={() => setAdding(false)} />}
    </Page>
  );
}
