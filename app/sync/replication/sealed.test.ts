import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import type { MessageDocument } from '../../../schema/message.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

test('P13: what two people with keys write is sealed everywhere but on their devices', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ben.device()]
  const id = await phone.say(ben, 'the albatross lands')
  await lab.settle()
  expect(await tablet.read(ann)).toMatchObject([{ _id: id, content: 'the albatross lands' }])
  await phone.messenger.commands.editMessage(id, 'the albatross stays')
  await lab.settle()
  await tablet.messenger.commands.setReaction(id, '👍')
  await tablet.messenger.commands.setStarred(id, true)
  await lab.settle()
  const own = { _id: id, content: 'the albatross stays' }
  for (const device of [phone, laptop]) {
    expect(await device.read(ben)).toMatchObject([
      { ...own, reactions: { [ben.userId]: { emoji: '👍' } } },
    ])
  }
  const [anns, bens] = [await ann.server.messages(), await ben.server.messages()]
  const sealed = expect.stringMatching(/^1\./)
  for (const copy of [anns.get(id), bens.get(id)]) {
    expect(copy).toMatchObject({
      content: '',
      sealed,
      reactions: { [ben.userId]: { emoji: '', sealed } },
    })
    expect(JSON.stringify(copy)).not.toContain('albatross')
  }
  await lab.expectConverged()
})

test('P13: a first message, written before anything is known of its reader, leaves sealed', async () => {
  const { lab, ann } = await openTestLab({}, { hasKeys: true })
  const phone = await ann.device()
  phone.network.goOffline()
  await phone.reload()
  // Only now: the phone may have read the list of everybody before it lost the network.
  const cem = await lab.person('cem', { hasKeys: true })
  const id = await phone.say(cem, 'the albatross lands')
  expect((await readOne(phone, id)).sealed).toBeUndefined()
  phone.network.goOnline()
  await lab.settle()
  expect((await ann.server.messages()).get(id)).toMatchObject({ content: '', status: 'sent' })
  const tablet = await cem.device()
  await lab.settle()
  expect(await tablet.read(ann)).toMatchObject([{ content: 'the albatross lands' }])
  await lab.expectConverged()
})

test('what comes before its key stays as it came, and opens when the key comes', async () => {
  const { lab, ann, ben } = await openTestLab()
  const tablet = await ben.device()
  await Promise.all([ann.makeKeys(), ben.makeKeys()])
  const phone = await ann.device()
  const id = await phone.say(ben, 'the albatross lands')
  await lab.settle()
  const arrived = (await ben.server.messages()).get(id)
  expect(arrived).toMatchObject({ content: '', sealed: expect.any(String) })
  expect(await readOne(tablet, id)).toMatchObject({ content: '', locked: 'key' })
  await tablet.messenger.commands.setStarred(id, true)
  await lab.settle()
  const starred = (await ben.server.messages()).get(id)
  expect(starred).toMatchObject({ isStarred: true, sealed: arrived?.sealed })
  // The tab that opens next finds the keys.
  await tablet.reload()
  await expect.poll(async () => (await readOne(tablet, id)).content).toBe('the albatross lands')
  expect(await readOne(tablet, id)).not.toHaveProperty('locked')
  await lab.settle()
  expect((await ben.server.messages()).get(id)).toEqual(starred)
  const { search } = tablet.messenger
  await expect
    .poll(async () => (await search.find({ text: 'albatross', limit: 10 })).messages)
    .toMatchObject([{ _id: id }])
})

test('what is stored locked after its key came is opened at once', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const id = await tablet.say(ann, 'the albatross lands')
  await lab.settle()
  const opened = await readOne(phone, id)
  expect(opened).toMatchObject({ content: 'the albatross lands' })
  // As of a pull that began to open it before the key was there.
  await phone.plant([{ ...opened, content: '', locked: 'key' } as never])
  await expect.poll(async () => (await readOne(phone, id)).content).toBe('the albatross lands')
})

test('what could not be opened on a full disk is opened once there is room', async () => {
  const { lab, ann, ben } = await openTestLab()
  const tablet = await ben.device()
  await Promise.all([ann.makeKeys(), ben.makeKeys()])
  const phone = await ann.device()
  const id = await phone.say(ben, 'the albatross lands')
  await lab.settle()
  expect(await readOne(tablet, id)).toMatchObject({ content: '', locked: 'key' })
  tablet.disk.fillUp('messages')
  await tablet.access.unlock()
  await expect.poll(tablet.disk.countRefused).toBeGreaterThan(0)
  tablet.disk.makeRoom()
  await expect.poll(async () => (await readOne(tablet, id)).content).toBe('the albatross lands')
})

test('P13: a page whose storage is cleared under it keeps its keys, and reads what comes again', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const id = await tablet.say(ann, 'the albatross lands')
  await lab.settle()
  expect(await readOne(phone, id)).toMatchObject({ content: 'the albatross lands' })
  await phone.erase()
  const next = await tablet.say(ann, 'and flies on')
  await expect.poll(async () => (await readOne(phone, next))?.content).toBe('and flies on')
  await lab.settle()
  await lab.expectConverged()
})

test('P13: a device that lost its keys lets nothing leave in plain, and seals it once it has them again', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'before')
  await lab.settle()
  // Its person cannot unlock it yet, and nothing on it says that there are keys.
  await lab.server.kill()
  await phone.loseStorage()
  expect(phone.messenger.keys.getSnapshot().number).toBeUndefined()
  const wire: string[] = []
  phone.network.record((told) => wire.push(told))
  const id = await phone.say(ben, 'written without keys')
  await phone.sendFile(ben, 'a file without keys')
  const asked = phone.network.exchanges.length
  await lab.server.start()
  phone.network.hurry()
  await untilRead(phone, asked)
  await phone.access.unlock()
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual([
    'before',
    'written without keys',
    'a file without keys',
  ])
  expect((await readOne(phone, id)).sealed).toBeDefined()
  expect(wire.length).toBeGreaterThan(0)
  expect(wire.join('\n')).not.toContain('without keys')
  await lab.expectConverged()
})

test('P13: a device that lost its keys sends what it wrote meanwhile to somebody who has none', async () => {
  const { lab, ann } = await openTestLab({}, { hasKeys: true })
  const cem = await lab.person('cem')
  const [phone, other] = [await ann.device(), await cem.device()]
  await lab.settle()
  await lab.server.kill()
  await phone.loseStorage()
  await phone.say(cem, 'written without keys')
  const asked = phone.network.exchanges.length
  await lab.server.start()
  phone.network.hurry()
  await untilRead(phone, asked)
  await phone.access.unlock()
  await lab.settle()
  expect((await other.read(ann)).map(({ content }) => content)).toEqual(['written without keys'])
})

test('P13: what was written on a locked device leaves as soon as that is unlocked', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  await lab.server.kill()
  await phone.loseStorage()
  await lab.server.start()
  expect(await phone.access.listKeys()).toEqual([])
  await phone.messenger.users.load(ann.userId)
  await phone.messenger.users.load(ben.userId)
  await phone.say(ben, 'written while locked')
  await phone.access.unlock()
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['written while locked'])
  await lab.expectConverged()
})

test('P13: a file of a locked device leaves as soon as that is unlocked, however often it was tried', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  await lab.server.kill()
  await phone.loseStorage()
  await lab.server.start()
  await phone.messenger.users.load(ann.userId)
  await phone.messenger.users.load(ben.userId)
  await phone.sendFile(ben, 'a file while locked')
  const outbox = await phone.messenger.openOutbox()
  onTestFinished(outbox.close)
  // Longer than a lab waits for what does not move.
  const longMs = 26_000
  const tryAgain = () => {
    const [file] = outbox.page.getSnapshot()?.waiting ?? []
    const waitMs = (file && outbox.nextTryInMs(file)) ?? 0
    if (waitMs < longMs) phone.network.hurry()
    return waitMs
  }
  await expect.poll(tryAgain).toBeGreaterThan(longMs)
  await phone.access.unlock()
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['a file while locked'])
  await lab.expectConverged()
})

test('rubbish and formats of the future harm nothing, and say what they are', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const phone = await ann.device()
  const first = await phone.say(ben, 'the albatross lands')
  await lab.settle()
  const { sealed = '' } = (await ann.server.messages()).get(first) ?? {}
  const [, epoch, box] = sealed.split('.')
  const forged = {
    broken: `1.${epoch}.AAAA`,
    moved: `1.${epoch}.${box}`,
    key: '1.unknown.AAAA',
    newer: '7.a.b.c.d',
  }
  const ids = Object.fromEntries(Object.keys(forged).map((name) => [name, createId()]))
  const rows = await ben.server.push(
    'messages',
    Object.entries(forged).map(([name, part]) => ({
      _id: ids[name],
      peerId: ann.userId,
      senderId: ben.userId,
      recipientId: ann.userId,
      content: 'beside it',
      sealed: part,
      createdAt: Date.now(),
      orderedAt: Date.now(),
      status: 'sending',
    })),
  )
  expect(rows.every(({ ok }) => ok)).toBe(true)
  await lab.settle()
  const locks = { broken: 'broken', moved: 'broken', key: 'key', newer: 'newer' }
  for (const [name, locked] of Object.entries(locks)) {
    const id = ids[name] ?? ''
    expect(await readOne(phone, id)).toMatchObject({
      content: '',
      sealed: forged[name as 'key'],
      locked,
    })
  }
  const unreadable = { ...(await readOne(phone, first)), _id: createId(), sealed: 'no format' }
  expect((await ben.server.push('messages', [unreadable]))[0]).toMatchObject({ error: 'conflict' })
  const last = await phone.say(ben, 'the albatross stays')
  await lab.settle()
  expect((await ben.server.messages()).get(last)).toMatchObject({ sealed: expect.any(String) })
})

test('P13: who serves an earlier wording again takes no edit back from a device that has it', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const id = await phone.say(ben, 'the albatross lands')
  await lab.settle()
  const before = (await ann.server.messages()).get(id)
  await phone.messenger.commands.editMessage(id, 'the albatross stays')
  await lab.settle()
  expect(await readOne(tablet, id)).toMatchObject({ content: 'the albatross stays' })
  const edited = (await ann.server.messages()).get(id)
  const editedAt = (edited?.editedAt ?? 0) + 5
  const { sealed } = before ?? {}
  await ann.server.push('messages', [{ ...edited, sealed, editedAt }])
  await expect.poll(async () => (await ben.server.messages()).get(id)?.sealed).toBe(sealed)
  await lab.settle()
  for (const device of [phone, tablet]) {
    expect(await readOne(device, id)).toMatchObject({ content: 'the albatross stays', sealed })
  }
  await tablet.messenger.commands.setStarred(id, true)
  await tablet.reload()
  await lab.settle()
  expect(await readOne(tablet, id)).toMatchObject({
    content: 'the albatross stays',
    isStarred: true,
  })
  expect((await ben.server.messages()).get(id)).toMatchObject({ sealed, isStarred: true })
  await phone.messenger.commands.setReaction(id, '👍')
  await lab.settle()
  expect(await readOne(tablet, id)).toMatchObject({
    content: 'the albatross stays',
    reactions: { [ann.userId]: { emoji: '👍' } },
  })
  // Whoever never saw it reads what the server has, and the author can say it again.
  await phone.messenger.commands.editMessage(id, 'the albatross is gone')
  await lab.settle()
  expect(await readOne(tablet, id)).toMatchObject({ content: 'the albatross is gone' })
  await lab.expectConverged()
})

test('with another key of the other person what waits is sealed to that, and old words stay open', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const before = await phone.say(ben, 'before')
  await lab.settle()
  phone.network.goOffline()
  const waiting = await phone.say(ben, 'waiting')
  const sealedBefore = (await readOne(phone, waiting)).sealed
  await ben.makeKeys()
  await tablet.reload()
  phone.network.goOnline()
  await phone.messenger.users.load(ben.userId)
  await lab.settle()
  const after = await phone.say(ben, 'after')
  await lab.settle()
  const copies = await ben.server.messages()
  const epochOf = (id: string) => copies.get(id)?.sealed?.split('.')[1]
  expect(epochOf(after)).not.toBe(epochOf(before))
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual([
    'before',
    'waiting',
    'after',
  ])
  expect(sealedBefore).toBeDefined()
  await tablet.say(ann, 'with the new key')
  await lab.settle()
  // It has never seen Ben's former key.
  const laptop = await ann.device()
  await lab.settle()
  expect((await laptop.read(ben)).map(({ content }) => content)).toEqual([
    'before',
    'waiting',
    'after',
    'with the new key',
  ])
  await lab.expectConverged()
})

test('a key that could not be asked for is asked for again, though nothing else comes', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await tablet.say(ann, 'before')
  await lab.settle()
  await ben.makeKeys()
  await tablet.reload()
  const path = `/api/users/${ben.userId}`
  const refused = phone.network.add({
    do: 'answer',
    status: 503,
    count: 1,
    when: (asked) => asked.path === path,
  })
  const id = await tablet.say(ann, 'with the new key')
  await expect.poll(refused.count).toBe(1)
  await expect.poll(async () => (await readOne(phone, id)).content).toBe('with the new key')
})

/** Until the device has asked who its own person is, since that many requests: either call says that there are keys. */
async function untilRead({ network, userId }: LabDevice, asked: number) {
  const isRead = () => {
    // An attempt from before the server was back may fail only now, and begin half a minute of waiting.
    network.hurry()
    return network.exchanges
      .slice(asked)
      .some(
        ({ path, status }) =>
          [`/api/users/${userId}`, '/api/users/me'].includes(path) && status === 200,
      )
  }
  await expect.poll(isRead).toBe(true)
}

async function readOne(device: LabDevice, id: string): Promise<MessageDocument> {
  const message = (await device.stored()).messages.get(id)
  if (!message) throw new Error(`no message ${id}`)
  return message
}

test('P13: a sealed message says nothing of the page behind its link, also where it was sealed late', async () => {
  const { lab, ann } = await openTestLab({}, { hasKeys: true })
  const phone = await ann.device()
  phone.network.goOffline()
  await phone.reload()
  // Only now: the phone may have read the list of everybody before it lost the network.
  const cem = await lab.person('cem', { hasKeys: true })
  const link = { url: 'https://birds.example/', title: 'All about the albatross' }
  const message = { peerId: cem.userId, content: `look: ${link.url}`, link }
  const early = await phone.messenger.commands.sendMessage(message)
  expect(await readOne(phone, early)).toMatchObject({ link })
  phone.network.goOnline()
  await lab.settle()
  const late = await phone.messenger.commands.sendMessage(message)
  await lab.settle()
  for (const copies of [await ann.server.messages(), await cem.server.messages()]) {
    for (const id of [early, late]) {
      expect(copies.get(id)?.sealed).toBeDefined()
      expect(JSON.stringify(copies.get(id))).not.toContain('albatross')
    }
  }
  await lab.expectConverged()
})
