import { expect, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import type { LabPerson } from '../lab/device/lab-person.ts'
import type { Lab } from '../lab/lab.ts'
import { openTestLab } from '../lab/open-test-lab.ts'
import { createApi } from './api.ts'
import { createSealedMessages } from './sealed-messages.ts'
import { createSessionStore } from './session-store.ts'
import { testSession } from './testing/open-test-answers.ts'

async function openScript(lab: Lab, person: LabPerson) {
  const { token, userId } = person
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  const user = { ...testSession.user, _id: userId }
  sessions.set({ token, user }, { keepSignedIn: true })
  const api = createApi({ serverUrl: lab.server.url, fetch, sessions })
  const keys = await person.listKeys()
  return { api, sealed: createSealedMessages({ api, userId, keys }) }
}

test('P13: a script with keys and a device read each other, and the server neither', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const { api, sealed } = await openScript(lab, ann)
  const tablet = await ben.device()
  const sent = await sealed.send({ recipientId: ben.userId, text: 'the albatross lands' })
  expect(sent).toMatchObject({ content: '', sealed: expect.stringMatching(/^1\./) })
  // Also until the tablet has Ann's keys, and has opened it.
  await lab.settle({ areFaultsOver: true })
  expect(await tablet.read(ann)).toMatchObject([{ content: 'the albatross lands' }])
  await sealed.edit(sent, 'the albatross stays')
  await sealed.react(sent, '🪶')
  await lab.settle()
  expect(await tablet.read(ann)).toMatchObject([
    { content: 'the albatross stays', reactions: { [ann.userId]: { emoji: '🪶' } } },
  ])
  await tablet.messenger.commands.setReaction(sent._id, '👍')
  await tablet.say(ann, 'a petrel follows')
  await lab.settle()
  const [first, second] = await api.messages.list(ben.userId)
  expect(await sealed.read(must(first, 'a message'))).toEqual({
    text: 'the albatross stays',
    emoji: { [ann.userId]: '🪶', [ben.userId]: '👍' },
  })
  expect(await sealed.read(must(second, 'an answer'))).toMatchObject({ text: 'a petrel follows' })
  await sealed.react(must(first, 'a message'), '')
  await lab.settle()
  expect((await tablet.read(ann))[0]?.reactions?.[ann.userId]).toMatchObject({ emoji: '' })
  await lab.expectConverged()
})

test('P13: nothing goes to somebody without keys, and plain words into nothing sealed', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const cem = await lab.person('cem')
  const { api, sealed } = await openScript(lab, ann)
  const plainly = sealed.send({ recipientId: cem.userId, text: 'the albatross lands' })
  await expect(plainly).rejects.toThrow('cem has no keys: nothing was sent.')
  expect(await api.messages.list(cem.userId)).toEqual([])
  const { _id } = await sealed.send({ recipientId: ben.userId, text: 'the albatross lands' })
  const refused = { status: 409, code: 'message_sealed' }
  await expect(api.messages.edit(_id, 'in plain')).rejects.toMatchObject(refused)
  await expect(api.messages.setReaction(_id, '👍')).rejects.toMatchObject(refused)
  await expect(
    api.messages.forward({ messageId: _id, recipientIds: [cem.userId] }),
  ).rejects.toMatchObject(refused)
})
