/** The product's name stands here only. */
export const productName = 'Petrel'

/** `Name of the page | Petrel` */
export function titlePage(page: string): string {
  return `${page} | ${productName}`
}

/** The desktop app that the empty pane speaks of, at its store. Source: section 2 of the specification. */
export const desktopAppUrl = 'https://apps.microsoft.com/detail/9nksqgp7f2nh'

/** Source: section 9 of the specification. */
export const productVersion = '1.0.0'
