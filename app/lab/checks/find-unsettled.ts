import type { ConversationDocument } from '../../../schema/conversation.ts'
import { isAccepted, type MessageDocument, statusRank } from '../../../schema/message.ts'
import { deriveStatus } from '../../../schema/peer-marks.ts'
import type { LabPerson } from '../device/lab-person.ts'
import { findDifferences } from '../server/server-view.ts'
import { listHeldFiles } from './find-missing-files.ts'

interface Held {
  messages: Map<string, MessageDocument>
  conversations: Map<string, ConversationDocument>
}

/**
 * Pending work, in words; empty when every online device holds what the server holds, every message
 * is in every copy, and every receipt has reached its author.
 */
export async function findUnsettled(people: readonly LabPerson[]): Promise<string[]> {
  const servers = new Map<string, Held>()
  for (const { userId, server } of people) {
    const [messages, conversations] = [await server.messages(), await server.conversations()]
    servers.set(userId, { messages, conversations })
  }
  const unsettled = people.flatMap((person) => findUnsettledReceipts(person, servers))
  for (const person of people) unsettled.push(...(await findUnsettledDevices(person, servers)))
  unsettled.push(...(await findUnsettledFiles(people, servers)))
  return unsettled
}

/** Files on their author's device that the server does not serve to the message's readers. */
async function findUnsettledFiles(people: readonly LabPerson[], servers: Map<string, Held>) {
  const unsettled: string[] = []
  for (const { messageId, mediaUrl } of await listHeldFiles(people)) {
    for (const { userId, name, server } of people) {
      const copy = servers.get(userId)?.messages.get(messageId)
      if (copy?.mediaUrl !== mediaUrl || (await server.hasFile(mediaUrl))) continue
      unsettled.push(`${name} cannot have the file of ${messageId}`)
    }
  }
  return unsettled
}

async function findUnsettledDevices(person: LabPerson, servers: Map<string, Held>) {
  const unsettled: string[] = []
  const server = servers.get(person.userId)
  const people = new Set(servers.keys())
  for (const device of person.devices) {
    if (!server || !device.isOpen || device.network.isDark()) continue
    const here = await device.stored()
    for (const kind of ['messages', 'conversations'] as const) {
      const ids = findDifferences({ kind, here: here[kind], there: server[kind], people })
      for (const id of ids) {
        const [a, b] = [here[kind].get(id), server[kind].get(id)]
        if (!b && a && isKeptHere(a, servers)) continue
        unsettled.push(`${device.name} and the server differ in ${kind} ${id}: ${tell(a, b)}`)
      }
    }
    const count = await device.messenger.countUnsent()
    if (count > 0) unsettled.push(`${device.name} has ${count} changes that are not sent`)
  }
  return unsettled
}

function findUnsettledReceipts(person: LabPerson, servers: Map<string, Held>): string[] {
  const own = servers.get(person.userId)
  const isListening = person.devices.some((each) => each.isOpen && !each.network.isDark())
  const unsettled: string[] = []
  for (const message of own?.messages.values() ?? []) {
    if (!isAccepted(message)) continue
    const { _id, peerId, senderId, orderedAt } = message
    const isOwn = senderId === person.userId
    const reader = isOwn ? servers.get(peerId)?.conversations.get(person.userId) : undefined
    const status = deriveStatus(message, own?.conversations.get(peerId), person.userId)
    const copy = servers.get(peerId)?.messages.get(_id)
    if (isOwn && servers.has(peerId) && !copy) unsettled.push(`${_id} is not with its reader`)
    if (reader && statusRank({ status }) < dueRank(reader, orderedAt)) {
      unsettled.push(`${_id} is ${status}, and its reader has told more`)
    }
    const conversation = own?.conversations.get(peerId)
    if (!isOwn && isListening && (conversation?.deliveredUpTo ?? 0) < orderedAt) {
      unsettled.push(`${person.name} has not told that ${_id} arrived`)
    }
  }
  return unsettled
}

/**
 * A device itself refuses documents too large for any server, and never sends them. What a group
 * refuses, and what was withdrawn before it got there, is stored nowhere else. Of a group that is
 * over the server has nothing more; its readers go on reading.
 */
function isKeptHere(document: object, people: Map<string, Held>): boolean {
  const { errorCode, status, deletedAt, peerId } = document as Partial<MessageDocument>
  if (errorCode === 'too_long') return true
  if (peerId === undefined || people.has(peerId)) return false
  const isWithdrawn = status === 'sending' && deletedAt !== undefined
  return status === 'failed' || isWithdrawn || !isAnywhere(peerId, people)
}

function isAnywhere(groupId: string, people: Map<string, Held>): boolean {
  return [...people.values()].some(({ messages }) =>
    [...messages.values()].some(({ peerId }) => peerId === groupId),
  )
}

function dueRank({ readUpTo, deliveredUpTo }: ConversationDocument, orderedAt: number): number {
  if (orderedAt <= readUpTo) return statusRank({ status: 'read' })
  return orderedAt <= deliveredUpTo ? statusRank({ status: 'delivered' }) : 0
}

function tell(here: object | undefined, there: object | undefined): string {
  return `here ${JSON.stringify(here) ?? 'missing'}, there ${JSON.stringify(there) ?? 'missing'}`
}
