import { splitStyles } from './split-styles.ts'

/** A text without the markers that would render as a style, such as `*bold*`. */
export function stripStyles(text: string): string {
  return splitStyles(text)
    .map((part) => part.text)
    .join('')
}
