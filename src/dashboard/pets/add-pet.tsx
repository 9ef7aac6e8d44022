import { NativeSelect, TextInput } from "@mantine/core";
import { change } from "../api/client";
import { useIdempotencyKey } from "../api/idempotency";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { CreatePetDocument, type PetStatus } from "./documents.generated";
import { STATUS_OPTIONS } from "./pet-status";

export function AddPet({ onClosed }: { onClosed: () => void }) {
  const keyOf = useIdempotencyKey();
  const add = async (form: FormData) => {
    const pet = {
      name: String(form.get("name")).trim(),
      categoryId: String(form.get("categoryId")).trim(),
      status: (String(form.get("status")) || null) as PetStatus | null,
    };
    const { createPet } = await change(CreatePetDocument, {
      input: { ...pet, idempotencyKey: keyOf(pet) },
    });
    toast(`Added ${createPet.name} with the ID ${createPet.id}.`);
  };
  return (
    <FormDialog title="Add a pet" submit="Add pet" onSubmit={add} onClosed={onClosed}>
      {({ field }) => (
        <>
          <TextInput {...field("name")} label="Name" required maxLength={200} data-autofocus />
          <TextInput
            {...field("categoryId")}
            label="Category"
            description="The ID of the category, a whole number."
            required
            inputMode="numeric"
          />
          <NativeSelect
            name="status"
            label="Status"
            data={[{ value: "", label: "Unknown" }, ...STATUS_OPTIONS]}
          />
        </>
      )}
    </FormDialog>
  );
}
