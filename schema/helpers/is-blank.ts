const unseen = /[\s\p{Default_Ignorable_Code_Point}]/gu

/** Is a text invisible: only spaces and zero-width characters? */
export function isBlank(text: string): boolean {
  return text.replace(unseen, '') === ''
}
