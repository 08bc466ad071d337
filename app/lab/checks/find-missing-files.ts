import { isAccepted } from '../../../schema/message.ts'
import type { LabPerson } from '../device/lab-person.ts'
import type { Said } from '../device/witness.ts'

/** Files of sent messages on an author's device that can upload them. */
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
 * Files that a device shows but cannot read, or reads wrongly, in words.
 * @param given.hasBackup a restore may have lost a file that no device of its author holds
 */
export async function findMissingFiles(given: {
  people: readonly LabPerson[]
  said: readonly Said[]
  hasBackup: boolean
}): Promise<string[]> {
  const { people, said, hasBackup } = given
  const missing: string[] = []
  // Reading them stores them on devices that lacked them.
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
