import * as z from 'zod/mini'
import { limits } from './limits.ts'

const { urlMaxLength, titleMaxLength, descriptionMaxLength } = limits.linkPreview
const url = z.string().check(z.maxLength(urlMaxLength), z.regex(/^https?:\/\//i))
const words = {
  title: z.string().check(z.minLength(1), z.maxLength(titleMaxLength)),
  description: z.optional(z.string().check(z.maxLength(descriptionMaxLength))),
}
const picture = z.string().check(z.regex(/^data:image\/(jpeg|png|webp|gif|avif);base64,/))

/**
 * What the page behind the first address in a message says of itself, as its author's device heard it. `url`: the
 * address as it stands in the text: where the text has it no more, nothing is shown. `picture`: made small by the
 * author's device.
 */
export const linkPreview = z.object({
  url,
  ...words,
  picture: z.optional(picture.check(z.maxLength(limits.linkPreview.pictureMaxLength))),
})
export type LinkPreview = z.infer<typeof linkPreview>

/** Asks the server what a page says of itself. */
export const askedLink = z.object({ url })

/** `page`: null for an address that says nothing, or leads nowhere that the server goes. */
export const fetchedLink = z.object({
  page: z.nullable(z.object({ ...words, picture: z.optional(picture) })),
})
export type FetchedLink = z.infer<typeof fetchedLink>
