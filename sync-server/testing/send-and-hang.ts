import { messageDocument } from '../../schema/message.ts'
import type { AccountsDocument } from '../access/account-documents.ts'
import { createRelations } from '../access/relations.ts'
import { createAcceptance } from '../messages/message-acceptance.ts'
import { createStorage } from '../storage/storage.ts'

// For the test that kills a server: sends one message, and stops forever between its two copies.
const [, , dataDir = '', written = ''] = process.argv
const message = messageDocument.parse(JSON.parse(written))
const storage = createStorage({ dataDir, isAtomic: false })
const database = storage.database<AccountsDocument>('accounts')
const { acceptMessages } = createAcceptance({
  storage,
  relations: createRelations({ database, isShared: false }),
  onStage: (stage) => {
    if (stage !== 'peer') return
    process.stdout.write('between the copies\n')
    setInterval(() => undefined, 60_000)
    return new Promise(() => undefined)
  },
})
const proposals = [{ id: message._id, raw: { ...message }, isDeleted: false }]
await acceptMessages({ actorId: message.senderId, proposals })
