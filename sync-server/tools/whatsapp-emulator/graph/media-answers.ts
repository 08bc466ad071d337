import type { Emulation } from '../state/emulation.ts'
import type { StoredMedia } from '../state/emulator-state.ts'
import { openAddress } from '../state/media-store.ts'
import { refuseUnknownNode } from '../wire/graph-fault.ts'
import { type GraphCall, type GraphReply, succeed } from './graph-call.ts'

type MediaCall = GraphCall<{ kind: 'media'; media: StoredMedia }>

/** `GET /{media}`: its metadata, and an address for five minutes. */
export function describeMedia({ emulation, node, query }: MediaCall): GraphReply {
  const { media } = node
  refuseOtherNumber('GET', media, query)
  const body = {
    messaging_product: 'whatsapp',
    url: openAddress(emulation, media),
    mime_type: media.mimeType,
    sha256: media.sha256,
    file_size: media.bytes.length,
    id: media.id,
  }
  return { kind: 'json', body }
}

export function deleteMedia({ emulation, node, query }: MediaCall): GraphReply {
  refuseOtherNumber('DELETE', node.media, query)
  emulation.state.media.delete(node.media.id)
  return succeed()
}

function refuseOtherNumber(method: string, media: StoredMedia, query: URLSearchParams) {
  const numberId = query.get('phone_number_id')
  if (numberId !== null && numberId !== media.phoneNumberId)
    throw refuseUnknownNode(method, media.id)
}

/** Serves the file to callers with the token and a user agent. Others get a page, like at Meta. */
export function serveFile(
  { state, clock }: Emulation,
  request: { query: URLSearchParams; isAuthorized: boolean; userAgent: string | undefined },
): GraphReply {
  const { query, isAuthorized, userAgent } = request
  const media = state.media.get(query.get('mid') ?? '')
  const endsAt = media?.addresses.get(query.get('hash') ?? '')
  if (!media || !isAuthorized || !userAgent || endsAt === undefined || endsAt <= clock.now()) {
    return { kind: 'bytes', status: 404, type: 'text/html', bytes: '<html>Not found</html>' }
  }
  return { kind: 'bytes', status: 200, type: media.mimeType, bytes: media.bytes }
}
