import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PouchDB from 'pouchdb'
import { expect, onTestFinished, test } from 'vitest'
import type { MessageDocument } from '../../schema/message.ts'
import { writeMessage } from '../testing/open-test-acceptance.ts'
import { startTestApp, type TestPerson } from '../testing/start-test-app.ts'

test('P1: stock PouchDB goes on with a server that was put back from a backup', async () => {
  const app = await startTestApp()
  const folder = await mkdtemp(join(tmpdir(), 'petrel-restored-'))
  onTestFinished(async () => {
    await app.close()
    await rm(folder, { recursive: true })
  })
  const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
  const open = ({ username, token }: TestPerson) => {
    const remote = new PouchDB<MessageDocument>(`${app.url}/sync/messages`, {
      fetch(url, options = {}) {
        const headers = new Headers(options.headers)
        headers.set('authorization', `Bearer ${token}`)
        return PouchDB.fetch(url, { ...options, headers })
      },
    })
    return { remote, local: new PouchDB<MessageDocument>(join(folder, username)) }
  }
  const syncAll = async () => {
    // The others pull what one pushes, and the results return.
    for (const person of [ann, ben, ann, ben]) {
      const { local, remote } = open(person)
      await local.sync(remote)
      await local.close()
    }
  }
  const write = async (person: TestPerson, to: TestPerson, content: string) => {
    const { local } = open(person)
    await local.put(writeMessage({ senderId: person.userId, recipientId: to.userId, content }))
    await local.close()
    await syncAll()
  }
  const read = async (person: TestPerson) => {
    const { local } = open(person)
    const { rows } = await local.allDocs({ include_docs: true })
    await local.close()
    const messages = rows.flatMap(({ doc }) => doc ?? [])
    const inOrder = messages.toSorted((a, b) => a.orderedAt - b.orderedAt)
    return inOrder.map(({ content, status }) => `${content} ${status}`)
  }

  await write(ann, ben, 'in the backup')
  const backup = join(folder, 'backup')
  await app.restore('nothing yet', (dataDir) => cp(dataDir, backup, { recursive: true }))
  await syncAll()
  await write(ben, ann, 'lost one')
  await write(ann, ben, 'lost two')
  await app.restore('the backup', async (dataDir) => {
    await rm(dataDir, { recursive: true })
    await cp(backup, dataDir, { recursive: true })
  })
  await write(ben, ann, 'after it')
  await syncAll()

  expect(await read(ann)).toEqual([
    'in the backup sent',
    'lost one delivered',
    'lost two sent',
    'after it delivered',
  ])
  expect(await read(ben)).toEqual([
    'in the backup delivered',
    'lost one sent',
    'lost two delivered',
    'after it sent',
  ])
})
