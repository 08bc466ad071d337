import type { BusinessNumber } from '../state/emulator-state.ts'
import { storeMedia } from '../state/media-store.ts'
import { GraphFault } from '../wire/graph-fault.ts'
import type { GraphCall, GraphReply } from './graph-call.ts'

const mebibyte = 1024 * 1024
const audio = ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg']
const openXml = 'application/vnd.openxmlformats-officedocument'
const documents = [
  'application/pdf',
  'text/plain',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  `${openXml}.wordprocessingml.document`,
  `${openXml}.spreadsheetml.sheet`,
  `${openXml}.presentationml.presentation`,
]
const capsByType = new Map<string, number>([
  ...['image/jpeg', 'image/png'].map((type) => [type, 5 * mebibyte] as const),
  ...['video/mp4', 'video/3gpp'].map((type) => [type, 16 * mebibyte] as const),
  ...audio.map((type) => [type, 16 * mebibyte] as const),
  ...documents.map((type) => [type, 100 * mebibyte] as const),
  ['image/webp', 500 * 1024],
])

/** `POST /{number}/media`, a multipart form. */
export async function uploadMedia(
  call: GraphCall<{ kind: 'number'; number: BusinessNumber }>,
): Promise<GraphReply> {
  const form = await readForm(call)
  if (form.get('messaging_product') !== 'whatsapp') {
    throw new GraphFault(100, { details: 'The parameter messaging_product is required.' })
  }
  const file = form.get('file')
  if (!(file instanceof Blob)) {
    throw new GraphFault(100, { details: 'The parameter file is required.' })
  }
  const cap = capsByType.get(file.type)
  if (cap === undefined) {
    const types = [...capsByType.keys()].join(', ')
    throw new GraphFault(100, {
      message: `(#100) Param file must be a file with one of the following types: ${types}. Received file of type '${file.type}'.`,
    })
  }
  if (file.size > cap) throw new GraphFault(131053, { details: 'The file is too large' })
  const media = storeMedia(call.emulation, {
    phoneNumberId: call.node.number.id,
    mimeType: file.type,
    origin: 'upload',
    bytes: new Uint8Array(await file.arrayBuffer()),
  })
  return { kind: 'json', body: { id: media.id } }
}

async function readForm({ headers, body }: GraphCall): Promise<FormData> {
  const type = String(headers['content-type'] ?? '')
  try {
    return await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData()
  } catch {
    throw new GraphFault(100, { details: 'The body must be multipart/form-data' })
  }
}
