import { v7 as createId } from 'uuid'
import { must, unreachable } from '../../schema/helpers/assertions.ts'
import { quickReactions } from '../../schema/reaction.ts'
import { askServer } from '../../sync-server/admin/admin-door.ts'
import type { Stage } from '../../sync-server/messages/acceptance/delivery-types.ts'
import { StorageUnavailable } from '../../sync-server/storage/documents/storage-errors.ts'
import type { Remains } from '../../sync-server/storage/testing/faulty-disk.ts'
import { keyWays } from './device/lab-access.ts'
import { listContacts } from './device/lab-channel.ts'
import type { LabDevice } from './device/lab-device-types.ts'
import type { LabNetwork } from './device/lab-network.ts'
import type { LabPerson } from './device/lab-person.ts'
import type { Step } from './draw-history.ts'
import type { Lab } from './lab.ts'

const stages: readonly Stage[] = ['ordered', 'peer', 'own', 'finished']
const remains: readonly Remains[] = ['nothing', 'torn', 'unseen']

/** What finds no space: everything, or one collection. */
const rooms: readonly Parameters<LabDevice['disk']['fillUp']>[] = [
  [],
  ['messages'],
  ['conversations'],
]
/** What may answer in place of the server, and for how long; the last is until it ends. */
const betweenStatuses = [200, 201, 401, 403, 404, 413, 429, 500, 502, 503]
const betweenBodies = ['<html>Your room?', '', '{}', '[]', 'null', '{"error":"unauthorized"}']
const betweenMs = [60, 400, 1_500, 4_000, Number.POSITIVE_INFINITY]

const clocksMs = [30_000, 600_000, 7_200_000, -30_000, -600_000, -7_200_000]

/** RxDB opens 16 collections per process, and a tab has two. */
const tabsMax = 7
/** So that most of them can have a second tab. */
const devicesMax = 6

/** Performs one event in the lab. Skips what a device cannot do at the moment. */
export async function takeStep(lab: Lab, step: Step): Promise<void> {
  switch (step.do) {
    case 'kill':
      return await lab.server.kill()
    case 'kill-at-stage':
      return void lab.server.killAfter(choose(stages, step.pick))
    case 'kill-at-write':
      return void lab.server.killAtWrite({
        after: step.pick % 6,
        side: choose(['before', 'after'], Math.floor(step.pick / 6)),
      })
    case 'start':
      return await start(lab)
    case 'fill-disk':
      return lab.server.disk.fillUp({
        after: step.pick % 5,
        count: 1 + (Math.floor(step.pick / 5) % 12),
        leaves: choose(remains, step.pick),
      })
    case 'make-room':
      return lab.server.disk.makeRoom()
    case 'pause':
      return await pause(step.pick % 60)
    case 'customer-writes':
      return lab.channel?.write(step.pick, `customer ${step.device}-${step.pick}`)
    case 'webhook-again':
      return lab.channel?.repeat(step.pick)
    case 'backup':
      return await takeBackup(lab)
    case 'restore':
      return await restore(lab, step.pick)
    default:
      return await actOnDevice(lab, step)
  }
}

/** Only devices restore what a backup lacks: none may have been erased. */
async function takeBackup({ server, people }: Lab) {
  const devices = people.flatMap((person) => person.devices)
  if (!server.isRunning() || devices.some(({ disk }) => disk.wasErased())) return
  await orStorageAway(server.takeBackup())
}

async function restore({ server }: Lab, pick: number) {
  if (!server.isRunning() || !server.hasBackup()) return
  await orStorageAway(server.putBackBackup({ restored: createId(), losesFiles: pick % 2 === 0 }))
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** On a full disk it may not start. */
async function start({ server }: Lab) {
  if (!server.isRunning()) await orStorageAway(server.start())
}

async function orStorageAway(starting: Promise<void>) {
  await starting.catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable)) throw error
  })
}

type DeviceStep = Exclude<
  Extract<Step, { device: number }>,
  { do: 'customer-writes' | 'webhook-again' }
>

async function actOnDevice(lab: Lab, step: DeviceStep): Promise<void> {
  const devices = lab.people.flatMap((person) => person.devices)
  const device = choose(devices, step.device)
  const { network } = device
  switch (step.do) {
    case 'offline':
      return network.goOffline()
    case 'dark':
      return network.goDark()
    case 'online':
      return network.goOnline()
    case 'calm':
      return network.calm()
    case 'duplicate':
      return network.duplicate()
    case 'reorder':
      return network.reorder()
    case 'lose':
      return network.loseResponses(1 + (step.pick % 3))
    case 'delay':
      return network.delay(step.pick % 80)
    case 'refuse':
      return network.answer(step.pick % 2 === 0 ? 503 : 429, 1 + (step.pick % 4))
    case 'slow':
      return network.slow({ bytesPerSecond: 10_000 + step.pick * 100 })
    case 'overtake':
      return letOvertake(network, step.pick)
    case 'block':
      return network.blockSockets()
    case 'spoil':
      return network.spoilFrames()
    case 'refuse-words':
      // All of them end this way.
      return refuseWords(lab, device, {
        words: `${step.pick % 10}"`,
        status: choose([403, 413, 429, 500], step.pick),
      })
    case 'between':
      return network.stepBetween({
        status: choose(betweenStatuses, step.pick),
        body: choose(betweenBodies, Math.floor(step.pick / 10)),
        ms: choose(betweenMs, Math.floor(step.pick / 60)),
      })
    case 'portal':
      return network.answerAsPortal()
    case 'reload':
      await device.reload()
      return await expectOwed(lab, device)
    case 'clock':
      return await moveClock(lab, device, choose(clocksMs, step.pick))
    case 'disk-fails':
      device.disk.fail()
      await pause(step.pick)
      return device.disk.makeRoom()
    case 'disk-fills':
      device.disk.fillUp(...choose(rooms, step.pick))
      await pause(step.pick)
      return device.disk.makeRoom()
    case 'close-connections':
      return device.disk.closeConnections()
    case 'erase':
      // The devices restore what a restored server lacks.
      return lab.server.hasBackup() ? undefined : await device.erase()
    case 'renew-sign-in':
      // A backup does not contain it.
      return lab.server.hasBackup() ? undefined : await device.renewSignIn(step.pick % 2 === 0)
    case 'sign-out':
      return lab.server.hasBackup() ? undefined : await device.signOut(step.pick % 100)
    case 'new-device':
    case 'change-password':
    case 'new-keys':
    case 'reset-password':
      // A backup contains neither the sign-in nor the keys.
      return lab.server.hasBackup() ? undefined : await takeKeyStep(lab, device, step)
    case 'answer-customer':
      return await answerCustomer(device, step)
    case 'say-newer':
      return await sayNewer(lab, device, step)
    case 'old-app':
      network.tellWire(1)
      return await device.reload()
    case 'update-app':
      return await updateApp(device)
    case 'tab':
      return countTabs(lab) < tabsMax ? void (await device.openTab()) : undefined
    default:
      return await actOnConversation(lab, device, step)
  }
}

/** Whoever has no keys yet gets the first ones. What the server cannot do now is left. */
async function takeKeyStep(
  lab: Lab,
  device: LabDevice,
  step: { do: 'new-device' | 'change-password' | 'new-keys' | 'reset-password'; pick: number },
) {
  if (!lab.server.isRunning() || !device.isOpen) return
  if (step.do === 'change-password') return await device.access.changePassword().catch(() => {})
  const devices = lab.people.flatMap((person) => person.devices)
  const person = lab.people.find(({ userId }) => userId === device.userId)
  if (step.do === 'reset-password') {
    return person && (await resetPassword({ lab, device, person, pick: step.pick }).catch(() => {}))
  }
  if (step.do === 'new-keys') {
    // Whoever has no device with the former keys has lost what was sealed to them.
    return await makeNewKeys(device)
      .then(() => person?.desk.comeBack())
      .catch(() => {})
  }
  if (devices.length >= devicesMax || countTabs(lab) >= tabsMax) return
  await person?.device({ way: choose(keyWays, step.pick) }).catch(() => {})
}

/** A device whose sign-in has ended shows nothing else before its person has signed in again. */
async function makeNewKeys(device: LabDevice) {
  if (await device.access.isEnded()) await device.signIn()
  await device.access.makeKeys()
}

/**
 * The operator makes a link for a person who forgot the password: it signs in, and opens no keys.
 * Then the device keeps those that lie on it; or has lost them, and stays locked until the recovery
 * key opens them; or its person begins new ones, and the others are locked.
 */
async function resetPassword(given: {
  lab: Lab
  device: LabDevice
  person: LabPerson
  pick: number
}) {
  const { lab, device, person, pick } = given
  const { name, desk } = person
  // Whoever has no device with the newest keys has lost what was sealed to them.
  await desk.comeBack()
  const asked = { action: 'reset-password', input: { name } }
  const { link } = await askServer(lab.server.dataDir, asked)
  await device.access.resetPassword(String(link).split('#')[1] ?? '')
  const outcome = pick % 3
  if (outcome === 1) {
    await device.access.loseKeys()
    return await device.reload()
  }
  if (outcome !== 2) return
  await device.access.comeBack()
  await device.access.makeKeys()
  await desk.comeBack()
  // Its tab has heard that the sign-in before is over.
  await device.reload()
}

/** Its person installs the update that it asks for. */
async function updateApp(device: LabDevice) {
  device.network.tellWire(undefined)
  await device.reload()
}

const isOutdated = ({ tabs }: LabDevice) =>
  tabs.some(({ messenger }) => messenger.connection.getSnapshot().state === 'outdated')

/** In the name of somebody who seals, to another who does. */
async function sayNewer(lab: Lab, device: LabDevice, { pick }: { pick: number }) {
  const sealing = lab.people.filter(({ hasKeys }) => hasKeys)
  const person = sealing.find(({ userId }) => userId === device.userId)
  const others = sealing.filter((other) => other !== person)
  if (!lab.server.isRunning() || !person || others.length === 0) return
  await person.newerApp.say(choose(others, pick).userId)
}

/**
 * People do what their devices ask for: they update, sign in again, unlock what is locked, and link a
 * device that lacks former keys once more.
 */
export async function enterEverywhere({ people }: Lab): Promise<void> {
  for (const device of people.flatMap(({ devices }) => devices)) {
    if (isOutdated(device)) await updateApp(device)
  }
  for (const { desk, devices, newerApp } of people) {
    await desk.comeBack()
    await newerApp.sendAgain()
    const all = (await desk.listKeys()).length
    for (const [at, device] of devices.entries()) {
      if (!device.isOpen) continue
      if (await device.access.isEnded()) await device.signIn()
      // Where neither opens them, another device hands them over.
      await device.access.unlock(at % 2 === 0 ? 'password' : 'recovery').catch(() => {})
      if ((await device.access.listKeys()).length < all) await device.access.linkAgain(desk)
    }
  }
}

function refuseWords(
  { witness }: Lab,
  { network, name }: LabDevice,
  { words, status }: { words: string; status: number },
) {
  witness.recordBarred(name, words)
  network.refuseWords(words, status)
}

async function answerCustomer(device: LabDevice, step: { device: number; pick: number }) {
  const contacts = await listContacts(device)
  if (contacts.length === 0 || !device.isOpen) return
  await device.say(choose(contacts, step.pick), `answer ${step.device}-${step.pick}`)
}

/** Its clock was this far ahead until now. */
async function moveClock(lab: Lab, device: LabDevice, ms: number) {
  await device.close()
  await device.advanceWriteTimes(ms)
  await device.openTab()
  await expectOwed(lab, device)
}

async function expectOwed({ people, server }: Lab, device: LabDevice) {
  // A device that has not heard of the restore knows what the server held before.
  if (server.hasBackup()) return
  const person = people.find(({ userId }) => userId === device.userId)
  await device.expectOwed(async () => {
    const held = await person?.server.messages().catch(() => undefined)
    const groups = await person?.server.groups().catch(() => undefined)
    const isGroup = (id: string) => device.messenger.groups.get(id).getSnapshot() !== undefined
    // Of a group that is over nothing says any more what it took: its words are looked at in the end.
    const isOver = (id: string) => isGroup(id) && groups?.has(id) === false
    return held && (({ _id, peerId }) => held.has(_id) || isOver(peerId))
  })
}

/** Delays writes to one collection for a moment, so that everything else overtakes them. */
function letOvertake(network: LabNetwork, pick: number) {
  const { release } = network.holdWrites(pick % 2 === 0 ? 'messages' : 'conversations')
  setTimeout(release, pick % 200)
}

type ConversationStep = Exclude<
  DeviceStep,
  | {
      do: 'offline' | 'dark' | 'online' | 'calm' | 'duplicate' | 'reorder' | 'reload' | 'tab'
    }
  | { do: 'lose' | 'delay' | 'refuse' | 'slow' | 'block' | 'spoil' | 'overtake' }
  | { do: 'clock' | 'disk-fails' | 'disk-fills' | 'refuse-words' }
  | { do: 'between' | 'portal' | 'erase' | 'close-connections' | 'renew-sign-in' | 'sign-out' }
  | { do: 'answer-customer' | 'new-device' | 'change-password' | 'new-keys' }
  | { do: 'reset-password' | 'say-newer' | 'old-app' | 'update-app' }
>

async function actOnConversation(lab: Lab, device: LabDevice, step: ConversationStep) {
  const others = lab.people.filter(({ userId }) => userId !== device.userId)
  const other = choose(others, step.pick)
  const { commands } = device.messenger
  if (step.do === 'say')
    return void (await device.say(other, `message ${step.device}-${step.pick}`))
  if (step.do === 'send-file') {
    return void (await device.sendFile(other, `file ${step.device}-${step.pick}`))
  }
  if (step.do === 'kill-after-enter') {
    if (!device.isOpen) return
    const text = `killed ${step.device}-${step.pick} ${createId()}`
    await device.killAfterEnter(other, text, step.pick % 8)
    return await expectOwed(lab, device)
  }
  if (step.do === 'read') return await commands.markRead(other.userId)
  if (step.do === 'pin') return await commands.setPinned(other.userId, step.device % 2 === 0)
  if (step.do === 'archive') return await commands.setArchived(other.userId, step.device % 2 === 0)
  if (step.do === 'clear') return await commands.clearConversation(other.userId)
  const messages = await device.read(other)
  if (messages.length === 0) return
  const own = messages.filter(({ senderId }) => senderId === device.userId)
  // What others wrote nobody may edit or delete: now and then somebody tries.
  const isOfAuthor = step.do === 'edit' || step.do === 'delete'
  const some = isOfAuthor && own.length > 0 && step.pick % 4 > 0 ? own : messages
  const { _id } = choose(some, Math.floor(step.pick / 3))
  switch (step.do) {
    case 'edit':
      return await commands.editMessage(_id, `edited ${step.device}-${step.pick}`)
    case 'delete':
      return await commands.deleteMessage(_id)
    case 'star':
      return await commands.setStarred(_id, step.device % 2 === 0)
    case 'react':
      return await commands.setReaction(_id, choose(['', ...quickReactions], step.pick))
    case 'retry':
      return await commands.retryMessage(_id)
    case 'discard':
      return void (await commands.discardMessage(_id))
    default:
      return unreachable(step.do)
  }
}

function countTabs(lab: Lab): number {
  return lab.people.flatMap(({ devices }) => devices).flatMap(({ tabs }) => tabs).length
}

function choose<T>(choices: readonly T[], pick: number): T {
  return must(choices[pick % choices.length], 'something to choose')
}
