const unseen = /[\s\p{Default_Ignorable_Code_Point}]/gu

/** Is there nothing to see in a text: only space, and characters without a width? */
export function isBlank(text: string): boolean {
  return text.replace(unseen, '') === ''
}
