import { lockOf, sealedFileName } from '../../../schema/encryption/sealed-part.ts'
import { isAccepted, isDiscarded, type MessageDocument } from '../../../schema/message.ts'
import {
  authorRegisters,
  jointRegisters,
  type RegisterName,
} from '../../../schema/message-registers.ts'
import { listReactions } from '../../../schema/reaction.ts'
import type { AccountKeys } from '../../encryption/account-keys.ts'
import { deriveEpoch, isAnyLocked, openMessage } from '../../encryption/sealed-message.ts'
import type { LabDevice } from '../device/lab-device-types.ts'
import type { LabPerson } from '../device/lab-person.ts'
import type { Version, Witness } from '../device/witness.ts'
import { findMissingFiles } from './find-missing-files.ts'

/** How much two clocks that follow one server may differ; of edits this close either may win. */
const togetherMs = 250

const shared = [...authorRegisters, ...jointRegisters]

/**
 * Checks the product's promises after everything has settled: nothing lost, nothing twice, the same
 * order and words on every device of both people, and each author's latest words.
 *
 * @throws with every broken promise, in words
 */
export async function expectConverged(options: {
  people: readonly LabPerson[]
  witness: Witness
  hasBackup: boolean
  /** Other findings, in words. */
  alsoBroken?: readonly string[]
}): Promise<void> {
  const { people, witness, hasBackup, alsoBroken = [] } = options
  const broken = [...witness.broken, ...alsoBroken]
  for (const [one, other] of pairsOf(people)) broken.push(...(await compareViews(one, other)))
  for (const { id, authorId, deviceName } of witness.said) {
    for (const device of people.find(({ userId }) => userId === authorId)?.devices ?? []) {
      if (!device.isOpen) continue
      const held = (await device.stored()).messages.get(id)
      if (!held) broken.push(`P1: ${id}, said on ${deviceName}, is not on ${device.name}`)
      const lost = held && findLostWords(held, witness.versions.get(id) ?? [])
      if (lost) broken.push(`P6: on ${device.name} ${lost}`)
    }
  }
  // What a backup lacks gets new places, from whichever device offers it first.
  if (!hasBackup) broken.push(...(await findReordered(people, witness)))
  // Nor has anybody told a restored server what all of its devices have lost.
  if (!hasBackup) broken.push(...(await findFallenMarks(people, witness)))
  broken.push(...(await findDeletedWords(people)))
  broken.push(...(await findReadable(people, witness)))
  broken.push(...(await findMissingFiles({ people, said: witness.said, hasBackup })))
  if (broken.length > 0) throw new Error(`Not converged:\n${broken.join('\n')}`)
}

/**
 * What was written on a device stands in that order in its conversation, but for what was told as
 * set aside, or sent once more by hand.
 */
async function findReordered(people: readonly LabPerson[], witness: Witness): Promise<string[]> {
  const broken: string[] = []
  for (const device of people.flatMap(({ devices }) => devices.filter(({ isOpen }) => isOpen))) {
    const { messages } = await device.stored()
    const last = new Map<string, MessageDocument>()
    for (const { id } of witness.said.filter(({ deviceName }) => deviceName === device.name)) {
      const message = messages.get(id)
      if (!message || !isAccepted(message) || message.attempt > 1 || witness.aside.has(id)) continue
      const before = last.get(message.peerId)
      if (before && before.orderedAt >= message.orderedAt) {
        broken.push(
          `P6: on ${device.name} ${message._id} stands before ${before._id}, written first`,
        )
      }
      last.set(message.peerId, message)
    }
  }
  return broken
}

/** What a person has read or cleared, and counts as unread or is there again on one of their devices. */
async function findFallenMarks(people: readonly LabPerson[], witness: Witness): Promise<string[]> {
  const broken: string[] = []
  for (const device of people.flatMap(({ devices }) => devices.filter(({ isOpen }) => isOpen))) {
    const { conversations } = await device.stored()
    for (const [peerId, marks] of witness.marks.get(device.userId) ?? []) {
      const held = conversations.get(peerId)
      for (const mark of ['readUpTo', 'clearedUpTo'] as const) {
        if ((held?.[mark] ?? 0) >= marks[mark]) continue
        broken.push(
          `P6: ${mark} of ${peerId} was ${marks[mark]}, and is ${held?.[mark]} on ${device.name}`,
        )
      }
    }
  }
  return broken
}

/** Of a deleted message nothing that it said is left, on any device and in any copy of the server. */
async function findDeletedWords(people: readonly LabPerson[]): Promise<string[]> {
  const broken: string[] = []
  for (const { name, server, devices } of people) {
    const copies = [{ name: `the server's copy of ${name}`, messages: await server.messages() }]
    for (const device of devices.filter(({ isOpen }) => isOpen)) {
      copies.push({ name: device.name, messages: (await device.stored()).messages })
    }
    for (const copy of copies) {
      for (const message of copy.messages.values()) {
        const { _id, deletedAt, content, sealed, file, reactions } = message
        const isLeft = content !== '' || sealed !== undefined || file !== undefined || reactions
        if (deletedAt === undefined || !isLeft) continue
        broken.push(`P6: ${_id} is deleted, and on ${copy.name} it says ${JSON.stringify(message)}`)
      }
    }
  }
  return broken
}

/**
 * Words that the server could read between two people with keys, and words that one of them cannot.
 */
async function findReadable(people: readonly LabPerson[], witness: Witness): Promise<string[]> {
  const sealing = people.filter(({ hasKeys }) => hasKeys)
  const isBetween = ({ peerId }: MessageDocument) => sealing.some(({ userId }) => userId === peerId)
  const broken: string[] = []
  for (const { name, server } of sealing) {
    for (const message of (await server.messages()).values()) {
      if (!isBetween(message) || isClosed(message)) continue
      broken.push(`P13: the server reads of ${name} ${JSON.stringify(message)}`)
    }
  }
  for (const device of people.flatMap(({ devices }) => devices.filter(({ isOpen }) => isOpen))) {
    for (const message of (await device.stored()).messages.values()) {
      if (!isAnyLocked(message) || witness.newer.has(message._id)) continue
      broken.push(`P13: ${device.name} cannot read ${JSON.stringify(message)}`)
    }
  }
  return [
    ...broken,
    ...(await findChangedNewer(people, witness)),
    ...(await findOpenedByOthers(people)),
  ]
}

/**
 * What a newer app sealed: everywhere as it came, and shown as what an update reads. A deletion takes
 * it away.
 */
async function findChangedNewer(
  people: readonly LabPerson[],
  { newer }: Witness,
): Promise<string[]> {
  const broken: string[] = []
  const compare = (where: string, messages: ReadonlyMap<string, MessageDocument>) => {
    for (const [id, sealed] of newer) {
      const message = messages.get(id)
      if (!message || message.deletedAt !== undefined) continue
      const isAsItCame = message.sealed === sealed && message.content === ''
      if (isAsItCame) continue
      broken.push(`P13: ${where} changed what a newer app wrote: ${JSON.stringify(message)}`)
    }
  }
  for (const { name, server, devices } of people) {
    compare(`the server's copy of ${name}`, await server.messages())
    for (const device of devices.filter(({ isOpen }) => isOpen)) {
      const { messages } = await device.stored()
      compare(device.name, messages)
      const shown = [...messages.values()].filter(
        (message) => newer.has(message._id) && message.deletedAt === undefined,
      )
      for (const message of shown.filter((one) => lockOf(one) !== 'newer')) {
        broken.push(`P13: ${device.name} asks for no update: ${JSON.stringify(message)}`)
      }
    }
  }
  return broken
}

/** Sealed words that somebody opens who is no part of their conversation, with all keys they have. */
async function findOpenedByOthers(people: readonly LabPerson[]): Promise<string[]> {
  const broken: string[] = []
  const keys = new Map<LabPerson, readonly AccountKeys[]>()
  for (const person of people) keys.set(person, await person.listKeys())
  const others = (person: LabPerson) => people.filter((other) => other !== person)
  for (const stranger of people) {
    const publicKeys = others(stranger).flatMap((other) => keys.get(other) ?? [])
    const epochs = (keys.get(stranger) ?? []).flatMap((own) =>
      publicKeys.map(({ agreement }) => deriveEpoch(own, agreement.publicKey)),
    )
    for (const { server } of others(stranger)) {
      for (const message of (await server.messages()).values()) {
        if (message.sealed === undefined || message.peerId === stranger.userId) continue
        if (epochs.every((epoch) => openMessage(message, () => epoch).locked !== undefined))
          continue
        broken.push(`P13: ${stranger.name} opens ${JSON.stringify(message)}`)
      }
    }
  }
  return broken
}

function isClosed({ content, sealed, file, reactions, refused }: MessageDocument): boolean {
  const isFileSealed = file === undefined || (sealed !== undefined && file.name === sealedFileName)
  const areReactions = Object.values(reactions ?? {}).every(({ emoji }) => emoji === '')
  return content === '' && isFileSealed && areReactions && !refused?.content
}

async function compareViews(one: LabPerson, other: LabPerson): Promise<string[]> {
  const marks = await Promise.all([
    ...one.devices.map((device) => readClearedUpTo(device, other)),
    ...other.devices.map((device) => readClearedUpTo(device, one)),
  ])
  const clearedUpTo = Math.max(0, ...marks)
  const views = [
    ...(await readViews(one.devices, other, clearedUpTo)),
    ...(await readViews(other.devices, one, clearedUpTo)),
  ]
  const [first, ...rest] = views
  if (!first) return []
  return [
    ...views.flatMap(({ name, messages }) =>
      findTwice(messages).map((id) => `P2: ${name} shows ${id} twice`),
    ),
    ...rest
      .filter(({ shown }) => JSON.stringify(shown) !== JSON.stringify(first.shown))
      .map(
        ({ name, shown }) =>
          `P5: ${first.name} and ${name} show different conversations:\n${JSON.stringify(first.shown)}\n${JSON.stringify(shown)}`,
      ),
  ]
}

/** The person's cleared mark in a conversation: both people see only what lies above. */
async function readClearedUpTo(device: LabDevice, withWhom: LabPerson): Promise<number> {
  const { conversations } = await device.stored()
  return conversations.get(withWhom.userId)?.clearedUpTo ?? 0
}

/**
 * A device's view, reduced to what both people must see alike; only its author sees an unaccepted
 * message.
 */
async function readViews(devices: readonly LabDevice[], withWhom: LabPerson, clearedUpTo: number) {
  const views = []
  for (const device of devices.filter(({ isOpen }) => isOpen)) {
    const messages = await device.read(withWhom)
    const shown = messages
      .filter((message) => isAccepted(message) && !isDiscarded(message))
      .filter(({ orderedAt }) => orderedAt > clearedUpTo)
      .map((message) => [message._id, ...shared.map(({ field }) => readShared(message, field))])
    views.push({ name: device.name, messages, shown })
  }
  return views
}

function readShared(message: MessageDocument, field: RegisterName): unknown {
  // Whether, not when: each copy may have its own time.
  if (field === 'deletedAt') return message.deletedAt !== undefined
  if (field !== 'reactions') return message[field]
  return listReactions(message.reactions)
    .map(({ userId, emoji }) => `${userId} ${emoji}`)
    .sort()
}

function findTwice(messages: readonly MessageDocument[]): string[] {
  const ids = messages.map(({ _id }) => _id)
  return ids.filter((id, index) => ids.indexOf(id) !== index)
}

function pairsOf(people: readonly LabPerson[]): [LabPerson, LabPerson][] {
  return people.flatMap((one, i) =>
    people.slice(i + 1).map((other): [LabPerson, LabPerson] => [one, other]),
  )
}

/**
 * A message's lost words, or undefined: the last text must stand in the author's copy, or come back
 * as refused (P6), and a deletion must have happened.
 */
function findLostWords(held: MessageDocument, versions: readonly Version[]): string | undefined {
  const isDeleted = held.deletedAt !== undefined
  if (versions.some(({ deletedAt }) => deletedAt !== undefined)) {
    return isDeleted ? undefined : `the deletion of ${held._id} is lost: ${tell(held)}`
  }
  if (isDeleted) return `${held._id} is deleted, and nobody has deleted it: ${tell(held)}`
  const taken = versions.filter(({ content }) => content !== held.refused?.content)
  const lastAt = Math.max(...taken.map(({ editedAt = 0 }) => editedAt))
  const last = taken.filter(({ editedAt = 0 }) => editedAt >= lastAt - togetherMs)
  if (last.some(({ content }) => content === held.content)) return undefined
  return `${JSON.stringify(last)} is lost: ${tell(held)}`
}

function tell({ content, editedAt, deletedAt, refused, status }: MessageDocument): string {
  return JSON.stringify({ content, editedAt, deletedAt, refused, status })
}
