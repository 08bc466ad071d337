import { LRUCache } from 'lru-cache'
import { listPhoneVariants } from '../../access/account-documents.ts'
import { atMost } from '../../lib/at-most.ts'
import { deriveId } from '../../lib/derive-id.ts'
import { retryOvertaken } from '../../lib/retry-overtaken.ts'
import { idsFrom, withoutRev } from '../../storage/documents/documents.ts'
import type { StoredDatabase } from '../../storage/stored-database.ts'
import {
  aliasKey,
  type ContactDocument,
  type ContactsDocument,
  contactKey,
  isContact,
  writerKey,
} from './contact-documents.ts'
import { type ContactIdentity, listAliases, matchContact } from './contact-identity.ts'

export type Contacts = ReturnType<typeof createContacts>

/** An operator and a business number: each pair has its own contacts. */
export interface ContactPlace {
  ownerId: string
  phoneNumberId: string
  displayPhoneNumber: string | null
}

const contactsRemembered = 20_000

const sharedRememberedMs = 5_000

const pageLength = 500

const overtaken = {
  tries: 8,
  giveUp: () => new Error('a contact changed under every try to write it'),
}

/**
 * Each operator's customers, identified by WhatsApp's aliases, each of which belongs to one
 * contact.
 * @param isShared other servers write the same database
 * @param now epoch ms
 */
export function createContacts(options: {
  database: StoredDatabase<ContactsDocument>
  isShared?: boolean
  now?: () => number
}) {
  const { database, isShared = false, now = Date.now } = options
  const ttl = isShared ? { ttl: sharedRememberedMs } : {}
  const { search, searchNames, list } = createContactLists({ database })
  const known = new LRUCache<string, ContactDocument>({ ...atMost(contactsRemembered), ...ttl })

  function remember(contact: ContactDocument): ContactDocument {
    known.set(contact._id, contact)
    return contact
  }

  async function findAll(
    ownerId: string,
    contactIds: readonly string[],
  ): Promise<Map<string, ContactDocument>> {
    const keys = [...new Set(contactIds)].map((id) => contactKey(ownerId, id))
    const missing = keys.filter((key) => !known.has(key))
    const read = missing.length > 0 ? await database.read(missing) : new Map()
    const found = keys.flatMap((key) => {
      const document = known.get(key) ?? read.get(key)
      if (!isContact(document)) return []
      return [remember(withoutRev(document))]
    })
    return new Map(found.map((contact) => [contact.contactId, contact]))
  }

  const find = async (ownerId: string, contactId: string) =>
    (await findAll(ownerId, [contactId])).get(contactId)

  /** The id of the contact with one of these aliases, if any. */
  async function match(
    place: Pick<ContactPlace, 'ownerId' | 'phoneNumberId'>,
    identity: Parameters<typeof matchContact>[0],
  ): Promise<string | undefined> {
    const { exact, variants } = listAliases(identity)
    const keys = [...exact, ...variants].map((alias) => aliasKey(place, alias))
    const stored = await database.read(keys)
    return matchContact(identity, (alias) => {
      const document = stored.get(aliasKey(place, alias))
      return document && 'contactId' in document ? document.contactId : undefined
    })
  }

  /** Changes a contact; `change` returns the same object when there is nothing to do. */
  async function change(
    ownerId: string,
    contactId: string,
    next: (contact: ContactDocument) => ContactDocument,
  ): Promise<ContactDocument | undefined> {
    const key = contactKey(ownerId, contactId)
    const { result } = await database.update<ContactDocument | undefined>([key], (stored) => {
      const before = stored.get(key)
      if (!isContact(before)) return { result: undefined }
      const after = next(before)
      return { put: after === before ? [] : [after], result: after }
    })
    return result && remember(result)
  }

  /** The contact by WhatsApp's current aliases: found by any of them, or created. */
  async function resolve(
    place: ContactPlace,
    identity: ContactIdentity,
    { phone = null }: { phone?: string | null } = {},
  ): Promise<{ contact: ContactDocument; isNew: boolean }> {
    const { exact } = listAliases(identity)
    const aliases = [...new Set([...exact, ...(phone === null ? [] : [phone])])]
    const [first] = aliases
    if (first === undefined) throw new Error('a contact without any name')
    return await retryOvertaken(async () => {
      const matched = await match(place, identity)
      const { ownerId, phoneNumberId } = place
      const contactId = matched ?? deriveId(`wa:contact:${ownerId}:${phoneNumberId}`, first)
      const key = contactKey(ownerId, contactId)
      const ids = [key, ...aliases.map((alias) => aliasKey(place, alias))]
      const { result } = await database.update<{ contact: ContactDocument; isNew: boolean } | null>(
        ids,
        (stored) => {
          const before = stored.get(key)
          // Somebody created another contact meanwhile.
          const isOther = aliases.some((alias) => {
            const document = stored.get(aliasKey(place, alias))
            return matched === undefined && document !== undefined && !isContact(before)
          })
          if (isOther) return { result: null }
          const contact = isContact(before)
            ? rename(before, { place, identity, phone })
            : begin(contactId, { place, identity, phone })
          const made = aliases.flatMap((alias) => {
            const _id = aliasKey(place, alias)
            return stored.has(_id) ? [] : [{ _id, contactId }]
          })
          const isSame = isContact(before) && JSON.stringify(before) === JSON.stringify(contact)
          const put = [...(isSame ? [] : [contact]), ...made]
          return { put, result: { contact, isNew: !isContact(before) } }
        },
      )
      return result ? { ...result, contact: remember(result.contact) } : 'again'
    }, overtaken)
  }

  function begin(
    contactId: string,
    given: { place: ContactPlace; identity: ContactIdentity; phone: string | null },
  ): ContactDocument {
    const { ownerId, phoneNumberId, displayPhoneNumber } = given.place
    const nobody = { waId: null, phone: null, userId: null, username: null, name: null }
    const blank: ContactDocument = {
      _id: contactKey(ownerId, contactId),
      ownerId,
      contactId,
      phoneNumberId,
      displayPhoneNumber,
      ...nobody,
      createdAt: now(),
      lastInboundAt: 0,
      lastInbound: null,
      told: '',
    }
    return rename(blank, given)
  }

  return {
    search,
    searchNames,
    list,
    find,
    findAll,
    change,

    /** A contact's stored version: other servers write it too. */
    async readAgain(contact: ContactDocument): Promise<ContactDocument> {
      known.delete(contact._id)
      return (await find(contact.ownerId, contact.contactId)) ?? contact
    },

    resolve,

    /** Finds a person's contact, without creating one. */
    async match(
      place: Pick<ContactPlace, 'ownerId' | 'phoneNumberId'>,
      identity: Parameters<typeof matchContact>[0],
    ): Promise<ContactDocument | undefined> {
      const contactId = await match(place, identity)
      return contactId === undefined ? undefined : await find(place.ownerId, contactId)
    },

    /** The contact of a whole number; other forms of it count if exactly one contact has one. */
    async findByPhone(
      place: Pick<ContactPlace, 'ownerId' | 'phoneNumberId'>,
      digits: string,
    ): Promise<ContactDocument | undefined> {
      const contactId = await match(place, { waId: digits, userId: null, parentUserId: null })
      return contactId === undefined ? undefined : await find(place.ownerId, contactId)
    },

    /** Records their message: the newest time opens the window, in whatever order they arrive. */
    recordInbound: (contact: ContactDocument, inbound: { sentAt: number }) =>
      change(contact.ownerId, contact.contactId, (before) =>
        before.lastInboundAt >= inbound.sentAt
          ? before
          : { ...before, lastInboundAt: inbound.sentAt },
      ),

    /** Records their newest message, for marking it as read. */
    recordNewest: (contact: ContactDocument, newest: { wamid: string; orderedAt: number }) =>
      change(contact.ownerId, contact.contactId, (before) =>
        (before.lastInbound?.orderedAt ?? 0) >= newest.orderedAt
          ? before
          : { ...before, lastInbound: newest },
      ),

    /** Adds aliases from now on: WhatsApp's own form of a number, or a new number. */
    async addAliases(contact: ContactDocument, names: Partial<ContactIdentity>): Promise<void> {
      const identity: ContactIdentity = {
        waId: null,
        userId: null,
        parentUserId: null,
        username: null,
        name: null,
        ...names,
      }
      const { exact } = listAliases(identity)
      const ids = exact.map((alias) => aliasKey(contact, alias))
      await database.update(ids, (stored) => ({
        put: ids
          .filter((_id) => !stored.has(_id))
          .map((_id) => ({ _id, contactId: contact.contactId })),
        result: undefined,
      }))
      await change(contact.ownerId, contact.contactId, (before) => {
        const after = {
          ...before,
          ...(identity.waId !== null && { waId: identity.waId }),
          ...(identity.userId !== null && { userId: identity.userId }),
        }
        return after.waId === before.waId && after.userId === before.userId ? before : after
      })
    },

    /**
     * Records who last wrote to a customer over a number without an operator: replies go to them.
     */
    async recordWriter(phoneNumberId: string, phone: string, ownerId: string): Promise<void> {
      const _id = writerKey(phoneNumberId, phone)
      await database.update([_id], (stored) => {
        const before = stored.get(_id)
        const isSame = before && 'ownerId' in before && before.ownerId === ownerId
        return { put: isSame ? [] : [{ _id, ownerId }], result: undefined }
      })
    },

    async findWriter(phoneNumberId: string, waId: string): Promise<string | undefined> {
      const ids = [waId, ...listPhoneVariants(waId)].map((one) => writerKey(phoneNumberId, one))
      const stored = await database.read(ids)
      const found = ids.map((id) => stored.get(id)).find((one) => one !== undefined)
      return found && 'ownerId' in found ? found.ownerId : undefined
    },

    /** Deletes all contacts of a departed person. */
    async forget(ownerId: string): Promise<void> {
      for (const prefix of [`contact:${ownerId}:`, `alias:${ownerId}:`]) {
        for (;;) {
          const range = { ...idsFrom(prefix), limit: pageLength }
          const page = await database.range(range)
          if (page.length === 0) break
          const ids = page.map(({ _id }) => _id)
          for (const id of ids) known.delete(id)
          await database.update(ids, (stored) => ({
            put: [...stored.values()].map((one) => ({ ...one, _deleted: true as const })),
            result: undefined,
          }))
        }
      }
    },
  }
}

function rename(
  before: ContactDocument,
  given: { place: ContactPlace; identity: ContactIdentity; phone: string | null },
): ContactDocument {
  const { waId, userId, username, name } = given.identity
  const { displayPhoneNumber } = given.place
  return {
    ...before,
    displayPhoneNumber: displayPhoneNumber ?? before.displayPhoneNumber,
    // A typed number is not WhatsApp's form, which comes with an answer or their message.
    waId: given.phone === null ? (waId ?? before.waId) : before.waId,
    phone: before.phone ?? given.phone,
    userId: userId ?? before.userId,
    username: username ?? before.username,
    // Their own name only fills a missing one, never replaces the operator's.
    name: before.name ?? name,
  }
}

/** Searches an operator's contacts, in id order. */
function createContactLists({ database }: { database: StoredDatabase<ContactsDocument> }) {
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
