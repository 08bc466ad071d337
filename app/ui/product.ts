import { wordsOf } from '../../schema/helpers/text.ts'

/** The only place that spells out the product's name. */
export const productName = 'Petrel'

/** `Name of the page | Petrel` */
export function titlePage(page: string): string {
  return `${page} | ${productName}`
}

/**
 * The store page of the desktop app that the empty pane links to. Source: decision 61, section 2.
 */
export const desktopAppUrl = 'https://apps.microsoft.com/detail/9nksqgp7f2nh'

/** Source: decision 61, section 9. */
export const productVersion = '1.0.0'

/** Logs one line to the browser's console, for failures that cost only decoration. */
export function logProblem(what: string, error: unknown): void {
  console.error(`${what}: ${wordsOf(error)}`)
}
