import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { testSession } from '../../api/testing/open-test-answers.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import {
  edit,
  forge,
  openTestArchive,
  pace,
  readDocuments,
  save,
  wipe,
} from '../../lab/open-test-archive.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

async function readFileWords(device: LabDevice, messageId: string) {
  const message = must((await device.stored()).messages.get(messageId), 'the message')
  return await (await device.messenger.files.find(message))?.text()
}

test('P5: what is exported, erased and imported offline is the same, document by document', async () => {
  const { lab, phone, file } = await openTestArchive()
  phone.network.goOffline()
  const before = await readDocuments(phone)
  expect(before.messages.size).toBe(4)
  const saved = await save(phone)
  expect(saved).toMatchObject({ messageCount: 4, fileCount: 1, missingCount: 0 })
  await wipe(phone)
  expect((await phone.stored()).messages.size).toBe(0)
  const restored = await phone.messenger.archive.restore(saved.zip, pace())
  expect(restored).toEqual({ messageCount: 4, conversationCount: 1, fileCount: 1 })
  expect(await readDocuments(phone)).toEqual(before)
  expect(await readFileWords(phone, file)).toBe('what is in it')
  const names = phone.messenger.users
    .list()
    .getSnapshot()
    .map(({ username }) => username)
  expect(names).toEqual(['ben'])

  phone.network.goOnline()
  await lab.settle()
  await lab.expectConverged()
  expect((await readDocuments(phone)).messages).toEqual(before.messages)
})

test('any program reads the export, and it has no secret in it', async () => {
  const { phone, file, ann } = await openTestArchive()
  const { zip, name } = await save(phone)
  expect(name).toMatch(/^petrel-Ann-\d{4}-\d\d-\d\d\.zip$/)
  const parts = unzipSync(new Uint8Array(await zip.arrayBuffer()))
  const read = (part: string) => new TextDecoder().decode(parts[part])
  expect(Object.keys(parts).sort()).toEqual(
    [
      'conversations.json',
      'drafts.json',
      `files/${file}.txt`,
      'files.json',
      'groups.json',
      'messages.json',
      'people.json',
      'petrel.json',
      'pictures.json',
      'profile.json',
      'settings.json',
    ].sort(),
  )
  expect(JSON.parse(read('petrel.json'))).toMatchObject({ userId: phone.userId, version: 3 })
  expect(JSON.parse(read('messages.json'))).toHaveLength(4)
  expect(JSON.parse(read('settings.json'))).toEqual({ a: 1 })
  expect(read(`files/${file}.txt`)).toBe('what is in it')
  expect(Object.keys(parts).map(read).join('')).not.toContain(ann.token)
})

test('P2 P5: an import merges: later edits stay, and what was never sent leaves once', async () => {
  const { lab, ben, phone, tablet, first } = await openTestArchive()
  phone.network.goOffline()
  const unsent = await phone.say(ben, 'written offline')
  const withFile = await phone.sendFile(ben, 'offline too', 'in the cabin')
  const saved = await save(phone)
  await wipe(phone)
  await phone.messenger.archive.restore(saved.zip, pace())
  phone.network.goOnline()
  await lab.settle()
  await phone.edit(first, 'the latest words')
  await lab.settle()
  const before = await readDocuments(phone)
  const again = await phone.messenger.archive.restore(saved.zip, pace())
  expect(again).toEqual({ messageCount: 0, conversationCount: 0, fileCount: 0 })
  await lab.settle()
  await lab.expectConverged()
  expect((await readDocuments(phone)).messages).toEqual(before.messages)
  const there = (await tablet.read({ userId: phone.userId })).map(({ _id, content }) => [
    _id,
    content,
  ])
  expect(there.filter(([_id]) => _id === unsent || _id === withFile)).toEqual([
    [unsent, 'written offline'],
    [withFile, 'offline too'],
  ])
  expect(there).toContainEqual([first, 'the latest words'])
})

test('files that only the server has come with a network, and are counted as missing without', async () => {
  const { phone, tablet, ann, lab } = await openTestArchive()
  await tablet.sendFile(ann, 'from Ben', 'never looked at')
  await lab.settle()
  const full = await save(phone, { loadsMissing: true })
  expect(full).toMatchObject({ fileCount: 2, missingCount: 0 })
  phone.network.goOffline()
  const own = await save(phone, { loadsMissing: true })
  expect(own).toMatchObject({ fileCount: 1, missingCount: 1 })
})

test('P13: a sealed file that only the server has is open in the export, and missing where its key is', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await tablet.sendFile(ann, 'from Ben', 'the albatross lands')
  await lab.settle()
  const { zip, fileCount } = await save(phone, { loadsMissing: true })
  expect(fileCount).toBe(1)
  const saved = Object.values(unzipSync(new Uint8Array(await zip.arrayBuffer())))
  const texts = saved.map((bytes) => new TextDecoder().decode(bytes))
  expect(texts).toContain('the albatross lands')
  // Signed in as a script is: nothing opens there.
  await phone.access.loseKeys()
  await phone.erase()
  await phone.reload()
  await lab.settle()
  const locked = await save(phone, { loadsMissing: true })
  expect(locked).toMatchObject({ messageCount: 1, fileCount: 0, missingCount: 1 })
})

test('P8: a file whose message was deleted, or whose chat was cleared, since the export does not come back', async () => {
  const { lab, phone, ben, file } = await openTestArchive()
  const other = await phone.sendFile(ben, 'another', 'gone too')
  await lab.settle()
  const { zip } = await save(phone)
  await phone.delete(file)
  await lab.settle()
  const restored = await phone.messenger.archive.restore(zip, pace())
  expect(restored).toMatchObject({ fileCount: 0 })
  expect(await readFileWords(phone, file)).toBeUndefined()
  expect(await readFileWords(phone, other)).toBe('gone too')
  await phone.messenger.commands.clearConversation(ben.userId)
  const readCount = async () =>
    (await phone.messenger.files.listUsage()).reduce((sum, { count }) => sum + count, 0)
  await expect.poll(readCount).toBe(0)
  expect(await phone.messenger.archive.restore(zip, pace())).toMatchObject({ fileCount: 0 })
  expect(await readCount()).toBe(0)
})

test('P8: somebody else cannot import it, and nothing changes', async () => {
  const { phone, tablet } = await openTestArchive()
  const { zip } = await save(phone)
  const before = await readDocuments(tablet)
  await expect(tablet.messenger.archive.restore(zip, pace())).rejects.toThrow(
    'This file is from another account.',
  )
  expect(await readDocuments(tablet)).toEqual(before)
})

test('an import that is stopped says so, and goes on with the next', async () => {
  const { phone } = await openTestArchive()
  phone.network.goOffline()
  const before = await readDocuments(phone)
  const { zip } = await save(phone)
  await wipe(phone)
  const stop = new AbortController()
  const stopped = phone.messenger.archive.restore(zip, {
    signal: stop.signal,
    onProgress: ({ stage }) => stage === 'files' && stop.abort(),
  })
  await expect(stopped).rejects.toThrow('Stopped.')
  await phone.messenger.archive.restore(zip, pace())
  expect(await readDocuments(phone)).toEqual(before)
})

const draftAt = (_id: string, at: number) => `[\n${JSON.stringify({ _id, text: 'x', at })}\n]\n`

const forgeries: [string, (parts: Map<string, string>) => void, RegExp][] = [
  ['no Petrel', (parts) => parts.delete('petrel.json'), /isn't a Petrel export/],
  ['another format', edit('petrel.json', 'petrel-export', 'other'), /isn't a Petrel export/],
  ['a later version', edit('petrel.json', '"version": 3', '"version": 4'), /newer version/],
  ['no messages', (parts) => parts.delete('messages.json'), /damaged/],
  ['half the messages', (parts) => parts.set('messages.json', '[\n{"_id":'), /damaged/],
  ['no array', (parts) => parts.set('messages.json', '{}'), /damaged/],
  ['a wrong field', edit('messages.json', '"attempt":1', '"attempt":"x"'), /damaged/],
  [
    'a message to others',
    edit('messages.json', /"peerId":"[^"]*/, `"peerId":"${testSession.user._id}`),
    /damaged/,
  ],
  ['a mark ahead', edit('conversations.json', /"clearedUpTo":0/, '"clearedUpTo":8e15'), /damaged/],
  ['no drafts', (parts) => parts.delete('drafts.json'), /damaged/],
  ['a draft of no person', (parts) => parts.set('drafts.json', draftAt('../x', 1)), /damaged/],
  [
    'a draft ahead',
    (parts) => parts.set('drafts.json', draftAt(testSession.user._id, 8e15)),
    /damaged/,
  ],
  [
    'a picture of nobody',
    (parts) => {
      const path = `pictures/${testSession.user._id}.png`
      const address = '/api/media/x'
      const picture = {
        userId: testSession.user._id,
        address,
        path,
        mimeType: 'image/png',
        size: 1,
      }
      parts.set('pictures.json', `[\n${JSON.stringify(picture)}\n]\n`)
      parts.set(path, 'x')
    },
    /damaged/,
  ],
  ['a file too many', (parts) => parts.set('files/x', ''), /damaged/],
  ['a way out', (parts) => parts.set('../../etc/passwd', ''), /damaged/],
  ['a file outside', edit('files.json', /"path":"[^"]*/, '"path":"petrel.json'), /damaged/],
  [
    'a file of no message',
    edit('files.json', /"messageId":".{8}/, '"messageId":"00000000'),
    /damaged/,
  ],
  ['another size', edit('files.json', /"size":\d+/, '"size":7'), /damaged/],
]

test('a zip that was changed gets words, and changes nothing', async () => {
  const { phone } = await openTestArchive()
  phone.network.goOffline()
  const { zip } = await save(phone)
  await wipe(phone)
  for (const [name, change, words] of forgeries) {
    const forged = await forge(zip, change)
    const problem = await phone.messenger.archive.restore(forged, pace()).catch(String)
    expect.soft([name, problem]).toEqual([name, expect.stringMatching(words)])
  }
  const bytes = new Uint8Array(await zip.arrayBuffer())
  const cut = new Blob([bytes.slice(0, bytes.length / 2)])
  const flipped = bytes.slice()
  const at = new TextDecoder('latin1').decode(bytes).indexOf('what is in it')
  flipped[at] = 0
  for (const [broken, words] of [
    [cut, /isn't a Petrel export/],
    [new Blob(['hello']), /isn't a Petrel export/],
    [new Blob([]), /isn't a Petrel export/],
    [new Blob([flipped]), /damaged/],
  ] as const) {
    await expect(phone.messenger.archive.restore(broken, pace())).rejects.toThrow(words)
  }
  expect(await readDocuments(phone)).toEqual({ messages: new Map(), conversations: new Map() })
  expect(await phone.messenger.files.listUsage()).toEqual([])
  expect(phone.messenger.users.list().getSnapshot()).toEqual([])
})
