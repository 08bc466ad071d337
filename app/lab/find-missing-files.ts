import { isAccepted } from '../../schema/message.ts'
import type { LabPerson } from './create-lab-person.ts'
import type { Said } from './create-witness.ts'

/** The files that a device shows and cannot read, or reads as something else, in words. */
export async function findMissingFiles(
  people: readonly LabPerson[],
  said: readonly Said[],
): Promise<string[]> {
  const missing: string[] = []
  for (const device of people.flatMap(({ devices }) => devices).filter(({ isOpen }) => isOpen)) {
    const { messages } = await device.stored()
    for (const { id, fileWords } of said) {
      const message = messages.get(id)
      if (!message || fileWords === undefined) continue
      if (!isAccepted(message) || message.deletedAt !== undefined) continue
      const read = await device.messenger.files.load(message).then((file) => file.text(), String)
      if (read === fileWords) continue
      missing.push(`P1: the file of ${id} is '${read}' on ${device.name}, not '${fileWords}'`)
    }
  }
  return missing
}
