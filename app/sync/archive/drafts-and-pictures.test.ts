import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import { expect, onTestFinished, test } from 'vitest'
import { testSession } from '../../api/testing/open-test-answers.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import type { LabPerson } from '../../lab/device/lab-person.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
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

/** The parts of an export, without the time of it. */
async function readParts(zip: Blob): Promise<Record<string, unknown>> {
  const { 'petrel.json': _head, ...parts } = unzipSync(new Uint8Array(await zip.arrayBuffer()))
  const decoder = new TextDecoder('latin1')
  return Object.fromEntries(
    Object.entries(parts).map(([name, bytes]) => {
      const isJson = name.endsWith('.json')
      return [name, isJson ? JSON.parse(new TextDecoder().decode(bytes)) : decoder.decode(bytes)]
    }),
  )
}

const ivy = '01900000-0000-7000-8000-00000000000c'

/** Gives the person a picture, and waits until a device shows it. */
async function setPicture(person: LabPerson, device: LabDevice, serverUrl: string, name: string) {
  const form = new FormData()
  const bytes = await readFile(new URL(`../../../public/icons/${name}`, import.meta.url))
  form.set('profilePicture', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), name)
  const response = await fetch(`${serverUrl}/api/users/profile/picture`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${person.token}` },
    body: form,
  })
  const { profilePicture } = (await response.json()) as { profilePicture: string }
  const picture = device.messenger.pictures.get(profilePicture)
  onTestFinished(picture.subscribe(() => {}))
  await untilLive(picture, (url) => url !== undefined)
  return profilePicture
}

test('P1 P10: drafts and pictures are exported and come back offline, part by part, and a later draft stays', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  const first = await phone.say(ben, 'hello')
  const own = await setPicture(ann, phone, lab.server.url, 'icon-192.png')
  const bens = await setPicture(ben, phone, lab.server.url, 'icon-512.png')
  await phone.messenger.users.load(ben.userId)
  const profile = { ...testSession.user, _id: ann.userId, username: 'Ann', profilePicture: own }
  const { drafts } = phone.messenger
  drafts.begin(ben.userId)
  drafts.set(ben.userId, 'half a sent')
  drafts.setReply(ben.userId, first)
  drafts.begin(ivy)
  drafts.set(ivy, 'dear Ivy')
  const asked = { ...pace(), profile, loadsMissing: false }
  const saveParts = async () => await readParts((await phone.messenger.archive.save(asked)).zip)
  // They are shown before they are stored.
  await expect.poll(async () => (await saveParts())['pictures.json']).toHaveLength(2)
  // A reload writes down what was gathered.
  await phone.reload()
  phone.network.goOffline()
  const saved = await phone.messenger.archive.save(asked)
  const parts = await readParts(saved.zip)
  expect(parts['pictures.json']).toMatchObject([
    { userId: ann.userId, address: own, mimeType: 'image/png' },
    { userId: ben.userId, address: bens, mimeType: 'image/png' },
  ])
  expect(parts['drafts.json']).toHaveLength(2)

  await wipe(phone)
  expect(phone.messenger.drafts.begin(ben.userId).text).toBe('')
  await phone.messenger.archive.restore(saved.zip, pace())
  expect(await saveParts()).toEqual(parts)
  await untilLive(phone.messenger.drafts.get(ivy), (text) => text === 'dear Ivy')
  expect(phone.messenger.drafts.begin(ben.userId)).toMatchObject({
    text: 'half a sent',
    replyTo: first,
  })
  const picture = phone.messenger.pictures.get(bens)
  onTestFinished(picture.subscribe(() => {}))
  await untilLive(picture, (url) => url !== undefined)

  phone.messenger.drafts.set(ben.userId, 'half a sentence')
  await phone.reload()
  await phone.messenger.archive.restore(saved.zip, pace())
  await phone.reload()
  expect(phone.messenger.drafts.begin(ben.userId).text).toBe('half a sentence')
})

test('an export of a person who has looked at their own record can be imported', async () => {
  const { lab, ann } = await openTestLab()
  const phone = await ann.device()
  const own = await setPicture(ann, phone, lab.server.url, 'icon-192.png')
  await phone.messenger.users.load(ann.userId)
  const profile = { ...testSession.user, _id: ann.userId, username: 'Ann', profilePicture: own }
  const { zip } = await phone.messenger.archive.save({ ...pace(), profile, loadsMissing: true })
  expect((await readParts(zip))['pictures.json']).toHaveLength(1)
  await wipe(phone)
  await expect(phone.messenger.archive.restore(zip, pace())).resolves.toMatchObject({
    messageCount: 0,
  })
})

test.each([
  [1, ['drafts.json', 'pictures.json', 'groups.json']],
  [2, ['groups.json']],
])('an export of version %i, without %j, is still read', async (version, lacks) => {
  const { phone } = await openTestArchive()
  phone.network.goOffline()
  const before = await readDocuments(phone)
  const { zip } = await save(phone)
  await wipe(phone)
  const earlier = await forge(zip, (parts) => {
    edit('petrel.json', '"version": 3', `"version": ${version}`)(parts)
    for (const part of lacks) parts.delete(part)
  })
  await phone.messenger.archive.restore(earlier, pace())
  expect(await readDocuments(phone)).toEqual(before)
})
