import type { Messenger } from '../../sync/messenger-types.ts'

/** So many files out of sight stay ready, of so many bytes together: those of the last few chats. */
const [idleMost, idleBytesMost] = [40, 32 * 1024 * 1024]

interface ReadyFile {
  bytes: Blob
  /** Its object URL, the same for as long as it is ready: the browser draws it at once. */
  url: string
}

interface KeptFile extends ReadyFile {
  /** What the browser has decoded lasts as long as something refers to it. */
  decoded: unknown
  holds: number
}

export interface ReadyFiles {
  find(messageId: string): ReadyFile | undefined
  /** While it is held it stays ready. Bytes of a message that is ready already are the same ones. */
  hold(messageId: string, bytes: Blob): ReadyFile & { release(): void }
  /** The device has it no longer: once nobody holds it, it goes. */
  forget(messageId: string): void
  /** Frees what nobody holds. */
  clear(): void
}

/** @param decode makes the browser decode an object URL, and returns what keeps it so */
export function createReadyFiles(decode: (url: string, bytes: Blob) => unknown): ReadyFiles {
  /** Those released last come last. */
  const files = new Map<string, KeptFile>()

  function drop(messageId: string, file: KeptFile) {
    if (files.get(messageId) === file) files.delete(messageId)
    URL.revokeObjectURL(file.url)
  }

  function trim() {
    let [count, bytes] = [0, 0]
    for (const [messageId, file] of [...files].reverse()) {
      if (file.holds > 0) continue
      count += 1
      bytes += file.bytes.size
      if (count > idleMost || bytes > idleBytesMost) drop(messageId, file)
    }
  }

  return {
    find: (messageId) => files.get(messageId),
    hold(messageId, bytes) {
      let file = files.get(messageId)
      if (!file) {
        const url = URL.createObjectURL(bytes)
        file = { bytes, url, decoded: decode(url, bytes), holds: 0 }
        files.set(messageId, file)
      }
      const held = file
      held.holds += 1
      let isReleased = false
      return {
        bytes: held.bytes,
        url: held.url,
        release() {
          if (isReleased) return
          isReleased = true
          held.holds -= 1
          if (held.holds > 0) return
          if (files.get(messageId) !== held) return URL.revokeObjectURL(held.url)
          files.delete(messageId)
          files.set(messageId, held)
          trim()
        },
      }
    },
    forget(messageId) {
      const file = files.get(messageId)
      if (!file) return
      files.delete(messageId)
      if (file.holds === 0) drop(messageId, file)
    },
    clear() {
      for (const [messageId, file] of files) if (file.holds === 0) drop(messageId, file)
    },
  }
}

const ofFiles = new WeakMap<Messenger['files'], ReadyFiles>()

/** The files that one person's screens have shown on this page, and can draw again in their first frame. */
export function readyFilesOf(files: Messenger['files']): ReadyFiles {
  const ready = ofFiles.get(files) ?? createReadyFiles(decodePicture)
  ofFiles.set(files, ready)
  return ready
}

/** The person has signed out, or another one has come. */
export function freeReadyFiles(files: Messenger['files']): void {
  ofFiles.get(files)?.clear()
  ofFiles.delete(files)
}

function decodePicture(url: string, { type }: Blob): unknown {
  if (!type.startsWith('image/')) return undefined
  const picture = new Image()
  picture.src = url
  return picture
}
