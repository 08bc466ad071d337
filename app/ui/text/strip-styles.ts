import { splitStyles } from './split-styles.ts'

/** A text without the markers that would be drawn as a style, as `*bold*`; every other character stays. */
export function stripStyles(text: string): string {
  return splitStyles(text)
    .map((part) => part.text)
    .join('')
}
