import { type AccountsDocument, accountKey, isAccount } from './access/account-documents.ts'
import { type Settings, SettingsError } from './config.ts'
import { digestsDatabase } from './messages/digests/digest-documents.ts'
import { type Lost, repairStore } from './storage/repair-store.ts'
import { createStorage } from './storage/storage.ts'

/**
 * Repairs the store of a stopped server.
 * @returns lines for the operator: what is kept, what is lost and whose it was, and what to do next
 * @throws SettingsError, StorageUnavailable in words
 */
export async function repairData({
  dataDir,
  couchdbUrl,
}: Pick<Settings, 'dataDir' | 'couchdbUrl'>): Promise<string[]> {
  if (couchdbUrl) {
    throw new SettingsError('COUCHDB_URL is set: a CouchDB is repaired with its own tools.')
  }
  const { lost, kept, setAside } = await repairStore({ dataDir, rebuilt: [digestsDatabase] })
  const count = `${kept} documents are kept. The damaged store lies in ${setAside}: keep it until all is well.`
  if (lost.length === 0) return [`Nothing is lost: ${count}`, 'Start the server as usual.']
  const nameOf = await readNames(dataDir, lost)
  return [
    'What is lost:',
    ...lost.map((one) => `- ${describe(one, nameOf)}`),
    count,
    'Start the server with RESTORED set to a name that it never had, such as the date: people’s devices then give back what they hold of it.',
  ]
}

async function readNames(dataDir: string, lost: readonly Lost[]) {
  const ids = lost.flatMap(({ database }) => splitPersonal(database)?.userId ?? [])
  const storage = createStorage({ dataDir })
  try {
    const accounts = storage.database<AccountsDocument>('accounts')
    const found = await accounts.read(ids.map(accountKey))
    return (userId: string) => {
      const account = found.get(accountKey(userId))
      return isAccount(account) ? account.username : undefined
    }
  } finally {
    await storage.close()
  }
}

function describe(
  { database, documents, of }: Lost,
  nameOf: (userId: string) => string | undefined,
): string {
  const personal = splitPersonal(database)
  const owner = personal && (nameOf(personal.userId) ?? 'somebody without an account')
  const what = personal ? `${personal.kind} of ${owner} (${personal.userId})` : database
  return of === undefined
    ? `${what}: at least ${documents} documents`
    : `${what}: ${documents} of ${of} documents`
}

function splitPersonal(database: string) {
  const [, kind, userId] = /^(messages|conversations)-(.+)$/.exec(database) ?? []
  return kind && userId ? { kind, userId } : undefined
}
