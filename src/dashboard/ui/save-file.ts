/**
 * Saves text as a file.
 * @param type media type, without its charset
 */
export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  // Revoked later, because the browser starts reading after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
