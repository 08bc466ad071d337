import * as z from 'zod/mini'

/** A shared contact card. */
export interface ContactCard {
  name: string
  company?: string
  phones: readonly string[]
  emails: readonly string[]
}

const listOf = <Entry extends z.ZodMiniType>(entry: Entry) =>
  z._default(z.catch(z.array(entry), []), [])

const contact = z.looseObject({
  name: z.looseObject({ formatted_name: z.string() }),
  org: z.optional(z.catch(z.looseObject({ company: z.optional(z.string()) }), {})),
  phones: listOf(z.looseObject({ phone: z.optional(z.string()), wa_id: z.optional(z.string()) })),
  emails: listOf(z.looseObject({ email: z.optional(z.string()) })),
})

/** The cards in the provider's field; skips unreadable ones. */
export function readContacts(field: unknown): ContactCard[] {
  if (!Array.isArray(field)) return []
  return field.flatMap((given) => {
    const read = contact.safeParse(given)
    if (!read.success) return []
    const { name, org, phones, emails } = read.data
    return {
      name: name.formatted_name,
      ...(org?.company && { company: org.company }),
      phones: phones.flatMap(({ phone, wa_id }) => phone ?? (wa_id ? `+${wa_id}` : [])),
      emails: emails.flatMap(({ email }) => email ?? []),
    }
  })
}
