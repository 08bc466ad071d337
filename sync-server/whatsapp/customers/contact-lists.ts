import { withoutRev } from '../../lib/without-rev.ts'
import type { StoredDatabase } from '../../storage/stored-database.ts'
import { type ContactDocument, type ContactsDocument, isContact } from './contact-documents.ts'

const pageLength = 500

/** Searches an operator's contacts, in id order. */
export function createContactLists({ database }: { database: StoredDatabase<ContactsDocument> }) {
  async function* walk(ownerId: string): AsyncGenerator<ContactDocument> {
    const place = { startkey: `contact:${ownerId}:` }
    for (;;) {
      const page = await database.range({
        ...place,
        endkey: `contact:${ownerId}:\uffff`,
        limit: pageLength,
      })
      for (const document of page) if (isContact(document)) yield withoutRev(document)
      const last = page.at(-1)
      if (!last || page.length < pageLength) return
      place.startkey = `${last._id}\u0000`
    }
  }

  async function filter(
    ownerId: string,
    limit: number,
    isWanted: (contact: ContactDocument) => boolean,
  ): Promise<ContactDocument[]> {
    const found: ContactDocument[] = []
    for await (const contact of walk(ownerId)) {
      if (isWanted(contact)) found.push(contact)
      if (found.length >= limit) break
    }
    return found
  }

  return {
    /** Contacts by a part of their number, the first ones only. */
    search: (ownerId: string, digits: string, limit: number) =>
      filter(ownerId, limit, ({ waId, phone }) =>
        [waId, phone].some((one) => one?.includes(digits)),
      ),

    /** Contacts by a part of their name, ignoring case. */
    searchNames(ownerId: string, text: string, limit: number) {
      const wanted = text.trim().toLowerCase()
      return filter(ownerId, limit, ({ name, username }) =>
        [name, username].some((one) => one?.toLowerCase().includes(wanted)),
      )
    },

    list: (ownerId: string, limit: number) => filter(ownerId, limit, () => true),
  }
}
