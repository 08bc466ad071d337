import { createHash } from 'node:crypto'
import type { Emulation } from './emulation.ts'
import type { StoredMedia } from './emulator-state.ts'

const dayMs = 86_400_000
const addressLivesMs = 5 * 60_000
const uploadLivesMs = 30 * dayMs
const inboundLivesMs = 7 * dayMs

/** Stores a file. Uploads live thirty days, customers' files seven. */
export function storeMedia(
  { state, clock }: Emulation,
  file: {
    phoneNumberId: string
    mimeType: string
    bytes: Uint8Array
    origin: 'upload' | 'inbound'
  },
): StoredMedia {
  const { phoneNumberId, mimeType, bytes, origin } = file
  const media: StoredMedia = {
    id: state.random.digits('media', 16),
    phoneNumberId,
    mimeType,
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    expiresAt: clock.now() + (origin === 'upload' ? uploadLivesMs : inboundLivesMs),
    addresses: new Map(),
  }
  state.media.set(media.id, media)
  return media
}

/** A new address of a file, valid for five minutes. */
export function openAddress({ state, clock, place }: Emulation, media: StoredMedia): string {
  const hash = state.random.hex('address', 32)
  const expiresAt = clock.now() + addressLivesMs
  media.addresses.set(hash, expiresAt)
  const query = new URLSearchParams({
    mid: media.id,
    ext: String(Math.floor(expiresAt / 1_000)),
    hash,
  })
  return `${place.url}/lookaside/whatsapp_business/attachments/?${query}`
}

/** The file with this id and number, if it has not expired. */
export function findMedia(
  { state, clock }: Emulation,
  { id, numberId }: { id: string; numberId?: string | undefined },
): StoredMedia | undefined {
  const media = state.media.get(id)
  if (!media || media.expiresAt <= clock.now()) return undefined
  return numberId === undefined || media.phoneNumberId === numberId ? media : undefined
}
