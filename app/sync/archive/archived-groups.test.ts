import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { edit, forge, pace, save, wipe } from '../../lab/open-test-archive.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

async function start(people: { hasKeys?: boolean } = {}) {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } }, people)
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  const say = (device: typeof phone, content: string) =>
    device.messenger.commands.sendMessage({ peerId: groupId, content })
  const read = async (device: typeof phone) =>
    (await device.read({ userId: groupId })).flatMap(({ content }) => content || [])
  await say(phone, 'who comes?')
  await expect.poll(() => read(tablet)).toEqual(['who comes?'])
  await say(tablet, 'I do')
  await expect.poll(() => read(phone)).toEqual(['who comes?', 'I do'])
  await lab.settle()
  return { lab, ann, ben, phone, tablet, groupId, say, read }
}

test.each([false, true])(
  'P1 P14: an export with a group is read again; what had not left goes out, and nothing is there twice (keys: %s)',
  async (hasKeys) => {
    const { lab, phone, tablet, groupId, say, read } = await start({ hasKeys })
    phone.network.goOffline()
    await say(phone, 'from the train')
    const { zip } = await save(phone)
    await wipe(phone)
    await phone.messenger.archive.restore(zip, pace())
    await expect.poll(() => read(phone)).toEqual(['from the train'])
    phone.network.goOnline()
    const all = ['who comes?', 'I do', 'from the train']
    await expect.poll(() => read(phone)).toEqual(all)
    await expect.poll(() => read(tablet)).toEqual(all)
    await lab.settle()
    const messages = [...(await phone.stored()).messages.values()]
    expect(messages.filter(({ status }) => status === 'failed')).toEqual([])
    expect(phone.messenger.groups.get(groupId).getSnapshot()).toMatchObject({ name: 'Walks' })
  },
)

test('the export has the words of a group, its lines and its people, and no secret', async () => {
  const { phone, groupId, ann, ben } = await start({ hasKeys: true })
  const { zip } = await save(phone)
  const parts = unzipSync(new Uint8Array(await zip.arrayBuffer()))
  const read = (part: string) => JSON.parse(new TextDecoder().decode(parts[part]))
  expect(read('groups.json')).toMatchObject([
    { _id: groupId, name: 'Walks', members: [{ userId: ann.userId }, { userId: ben.userId }] },
  ])
  const messages: { content: string; line?: object; epoch?: object }[] = read('messages.json')
  expect(messages.flatMap(({ content }) => content || [])).toEqual(['who comes?', 'I do'])
  expect(messages.filter(({ line }) => line)).toHaveLength(1)
  expect(messages.filter(({ epoch }) => epoch)).toEqual([])
})

test('a message of a group that the export does not name is no part of it', async () => {
  const { phone } = await start()
  const { zip } = await save(phone)
  const forged = await forge(zip, edit('groups.json', /^\[[\s\S]*\]/, '[]'))
  expect(await phone.messenger.archive.restore(forged, pace()).catch(String)).toMatch(/damaged/)
})

test('an export that calls a person a group is damaged, and their chat stays what it is', async () => {
  const { phone, groupId, ben } = await start()
  await phone.messenger.users.load(ben.userId)
  const { zip } = await save(phone)
  const forged = await forge(zip, (parts) => {
    for (const part of ['groups.json', 'messages.json', 'conversations.json']) {
      edit(part, new RegExp(groupId, 'g'), ben.userId)(parts)
    }
  })
  expect(await phone.messenger.archive.restore(forged, pace()).catch(String)).toMatch(/damaged/)
  expect(phone.messenger.groups.get(ben.userId).getSnapshot()).toBeUndefined()
})
