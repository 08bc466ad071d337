import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createInbox, type InboxCommand } from '../../database/storage/inbox.ts'
import { openDeviceStore } from '../../database/storage/open-device-store.ts'
import { recordSignedIn } from '../record-signed-in.ts'
import { sendCommands } from './send-commands.ts'
import type { WorkerScope } from './worker-scope.ts'

const [ann, ben] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']
const id = '01900000-0000-7000-8000-000000000001'
const groupId = '01900000-0000-7000-8000-0000000000aa'
const messageId = '01900000-0000-7000-8000-000000000002'

/** Answers 200 to everything. */
async function openServer() {
  const answer = { body: '' }
  const server = createServer((_, response) => response.end(answer.body)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { answer, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test.for<[InboxCommand, object]>([
  [{ id, kind: 'reply', peerId: ben, text: 'yes', at: 1 }, { _id: id }],
  [{ id, kind: 'read', peerId: ben, messageId, at: 1 }, { messageId }],
  [
    { id, kind: 'read', peerId: groupId, isGroup: true, messageId, upTo: 5, at: 1 },
    [{ ok: true, id: groupId }],
  ],
])(
  'P1: what a notification was told outlasts a hotel’s sign-in page: %j',
  async ([command, stored]) => {
    const indexedDB = new IDBFactory()
    vi.stubGlobal('indexedDB', indexedDB)
    onTestFinished(() => void vi.unstubAllGlobals())
    // The app has been here, and has no keys.
    const store = await openDeviceStore({ name: `petrel-${ann}`, indexedDB, IDBKeyRange })
    store.close()
    await recordSignedIn({ userId: ann, token: 'a token' })
    const inbox = createInbox({ name: `petrel-${ann}` })
    await inbox.addCommand(command)
    const { answer, origin } = await openServer()
    const scope = { location: { origin }, registration: {} } as unknown as WorkerScope
    for (const body of ['<html>Welcome. Please sign in.</html>', '{"isSignedIn":false}']) {
      answer.body = body
      await sendCommands(scope, { userId: ann })
      expect(await inbox.listCommands()).toEqual([command])
    }
    answer.body = JSON.stringify(stored)
    await sendCommands(scope, { userId: ann })
    expect(await inbox.listCommands()).toEqual([])
  },
)
