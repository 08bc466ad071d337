import { createAccounts } from './access/accounts.ts'
import { createDirectory } from './access/directory.ts'
import { createNameIndex } from './access/name-index.ts'
import { createPasswordResets } from './access/password-resets.ts'
import { createPrivacy } from './access/privacy.ts'
import { createRelations } from './access/relations.ts'
import { createReports } from './access/reports.ts'
import { createSessions } from './access/sessions.ts'
import { createTokenKeeper } from './access/token-keeper.ts'
import type { Settings } from './config.ts'
import type { Data } from './data.ts'
import { createAccessCheck } from './http/core/access-check.ts'
import type { ContactsDocument } from './whatsapp/customers/contact-documents.ts'
import { createContacts } from './whatsapp/customers/contacts.ts'

export type People = ReturnType<typeof createPeople>

/** Accounts, sign-ins, and who may see and reach another. */
export function createPeople(options: {
  data: Data
  mode: Settings['directory']
  onError: (error: unknown) => void
}) {
  const { data, mode, onError } = options
  const { storage, database, isShared, secret } = data
  const accounts = createAccounts({ database })
  const sessions = createSessions({ database, isShared, onError })
  const contacts = createContacts({
    database: storage.database<ContactsDocument>('whatsapp'),
    isShared,
  })
  const relations = createRelations({
    database,
    isShared,
    isContact: async (ownerId, id) => (await contacts.find(ownerId, id)) !== undefined,
  })
  const nameIndex = createNameIndex({ database })
  const directory = createDirectory({ mode, storage, accounts, relations, nameIndex, isShared })
  const privacy = createPrivacy({ accounts, directory, isShared })
  const tokens = createTokenKeeper({ secret })
  const accessCheck = createAccessCheck({ tokens, sessions })
  return {
    accounts,
    resets: createPasswordResets({ database }),
    sessions,
    contacts,
    relations,
    reports: createReports({ storage }),
    directory,
    privacy,
    tokens,
    accessCheck,
  }
}
