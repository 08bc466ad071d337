import { isAccepted } from '../../../schema/message.ts'
import type { LabPerson } from '../device/lab-person.ts'
import type { Said } from '../device/witness.ts'

/** The files of sent messages that lie on a device of their author's which can upload them. */
export async function listHeldFiles(people: readonly LabPerson[]) {
  const held: { messageId: string; mediaUrl: string }[] = []
  for (const device of people.flatMap(({ devices }) => devices)) {
    if (!device.isOpen || device.network.isDark()) continue
    for (const message of (await device.stored()).messages.values()) {
      const { _id: messageId, senderId, mediaUrl, file, deletedAt } = message
      const isSent = mediaUrl !== undefined && file && isAccepted(message)
      if (senderId !== device.userId || !isSent || deletedAt !== undefined) continue
      if (await device.messenger.files.find({ _id: messageId })) held.push({ messageId, mediaUrl })
    }
  }
  return held
}

/**
 * The files that a device shows and cannot read, or reads as something else, in words.
 * @param given.hasBackup what no device of its author's holds may be gone with a backup that was put back
 */
export async function findMissingFiles(given: {
  people: readonly LabPerson[]
  said: readonly Said[]
  hasBackup: boolean
}): Promise<string[]> {
  const { people, said, hasBackup } = given
  const missing: string[] = []
  // Reading them brings them onto devices that did not hold them before.
  const held = new Set((await listHeldFiles(people)).map(({ messageId }) => messageId))
  for (const device of people.flatMap(({ devices }) => devices).filter(({ isOpen }) => isOpen)) {
    const { messages } = await device.stored()
    for (const { id, fileWords } of said) {
      const message = messages.get(id)
      if (!message || fileWords === undefined) continue
      if (hasBackup && !held.has(id)) continue
      if (!isAccepted(message) || message.deletedAt !== undefined) continue
      const read = await device.messenger.files.load(message).then((file) => file.text(), String)
      if (read === fileWords) continue
      missing.push(`P1: the file of ${id} is '${read}' on ${device.name}, not '${fileWords}'`)
    }
  }
  return missing
}
