import { unzipSync } from 'fflate'
import { must } from '../../schema/helpers/assertions.ts'
import { testSession } from '../api/testing/open-test-answers.ts'
import { createZipWriter } from '../sync/archive/zip-writer.ts'
import type { LabDevice } from './device/lab-device-types.ts'
import { openTestLab } from './open-test-lab.ts'

export const pace = () => ({ signal: new AbortController().signal, onProgress() {} })

export function save(device: LabDevice, more: { loadsMissing?: boolean } = {}) {
  const profile = { ...testSession.user, _id: device.userId, username: 'Ann', settings: { a: 1 } }
  return device.messenger.archive.save({ loadsMissing: false, ...pace(), profile, ...more })
}

/** Its documents without what RxDB notes beside them. */
export async function readDocuments(device: LabDevice) {
  const { messages, conversations } = await device.stored()
  const clean = (documents: Map<string, object>) =>
    new Map(
      [...documents].map(([id, document]) => [
        id,
        Object.fromEntries(
          Object.entries(document).filter(([field]) => !/^_(rev|meta|attachments)$/.test(field)),
        ),
      ]),
    )
  return { messages: clean(messages), conversations: clean(conversations) }
}

/** Removes everything from the device, as signing out does, and opens it again. */
export async function wipe(device: LabDevice) {
  await device.messenger.erase()
  await device.reload()
}

/** For tests: Ann's phone and Ben's tablet, with a chat of everything. */
export async function openTestArchive() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const first = await phone.say(ben, 'hello "Ben" ✓')
  const file = await phone.sendFile(ben, 'a file', 'what is in it')
  await tablet.say(ann, 'hi\nAnn')
  const gone = await tablet.say(ann, 'forget this')
  await lab.settle()
  await phone.edit(first, 'hello again')
  await tablet.delete(gone)
  await phone.messenger.commands.setStarred(first, true)
  await phone.messenger.commands.setPinned(ben.userId, true)
  await phone.messenger.commands.setReaction(file, '👍')
  await lab.settle()
  return { lab, ann, ben, phone, tablet, first, file }
}

/** The parts of an export, changed, as a zip of its own. */
export async function forge(
  zip: Blob,
  change: (parts: Map<string, string>) => void,
): Promise<Blob> {
  const parts = unzipSync(new Uint8Array(await zip.arrayBuffer()))
  const texts = new Map(
    Object.entries(parts).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]),
  )
  change(texts)
  const writer = createZipWriter()
  for (const [name, text] of texts) await writer.addText(name, [text])
  return writer.finish()
}

/** Changes one part. */
export const edit =
  (name: string, from: string | RegExp, to: string) => (parts: Map<string, string>) => {
    const text = must(parts.get(name), name)
    if (text.search(from) < 0) throw new Error(`${name} has nothing to change.`)
    parts.set(name, text.replace(from, to))
  }
