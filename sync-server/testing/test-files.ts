import type { TestApp, TestPerson } from './start-test-app.ts'

/** The first bytes of files of a kind, padded to `size` bytes. For tests. */
export const testBytes = {
  png: (size = 100) =>
    fill([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01', 'latin1')], size),
  jpeg: (size = 100) => fill([Buffer.from('ffd8ffe000104a464946', 'hex')], size),
  pdf: (size = 100) => fill([Buffer.from('%PDF-1.7\n')], size),
  webm: (size = 100) =>
    fill([Buffer.from('1a45dfa3', 'hex'), Buffer.from('\x42\x82\x84webm V_VP9')], size),
}

function fill(parts: Buffer[], size: number): Buffer {
  const head = parts.map((part) => part.toString('latin1')).join('')
  const bytes = Buffer.alloc(Math.max(size, head.length))
  // No two pieces of it are equal, so that a wrong place shows.
  for (let at = 0; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE((at * 2654435761) >>> 0, at)
  bytes.write(head, 'latin1')
  return bytes
}

export interface TestUpload {
  bytes: Buffer
  filename?: string
  fieldName?: string
  mimeType?: string
  /** Its Idempotency-Key. */
  key?: string
}

/** Uploads a file as a browser does. For tests. */
export async function uploadFile(
  app: TestApp,
  { token }: Pick<TestPerson, 'token'>,
  file: TestUpload,
) {
  return await send(app, {
    token,
    method: 'POST',
    path: '/api/messages/upload',
    fieldName: 'file',
    ...file,
  })
}

/** Uploads a profile picture as a browser does. For tests. */
export async function uploadPicture(
  app: TestApp,
  { token }: Pick<TestPerson, 'token'>,
  file: TestUpload,
) {
  const path = '/api/users/profile/picture'
  return await send(app, { token, method: 'PUT', path, fieldName: 'profilePicture', ...file })
}

export async function uploadGroupPicture(
  app: TestApp,
  { token }: Pick<TestPerson, 'token'>,
  groupId: string,
  file: TestUpload,
) {
  const path = `/api/groups/${groupId}/picture`
  return await send(app, { token, method: 'PUT', path, fieldName: 'groupPicture', ...file })
}

async function send(
  app: TestApp,
  sent: TestUpload & { token: string; method: string; path: string; fieldName: string },
) {
  const form = new FormData()
  const blob = new Blob([new Uint8Array(sent.bytes)], { type: sent.mimeType ?? 'text/html' })
  form.append(sent.fieldName, blob, sent.filename ?? 'a file.bin')
  const response = await fetch(`${app.url}${sent.path}`, {
    method: sent.method,
    headers: {
      authorization: `Bearer ${sent.token}`,
      ...(sent.key && { 'idempotency-key': sent.key }),
    },
    body: form,
  })
  return { status: response.status, body: await response.json() }
}

/** A form's bytes on the wire, for tests to corrupt. */
export function writeForm(parts: { head: string; body: Buffer | string }[], boundary = 'petrel') {
  const written = parts.map(({ head, body }) =>
    [`--${boundary}\r\n${head}\r\n\r\n`, body.toString('latin1'), '\r\n'].join(''),
  )
  return Buffer.from(`${written.join('')}--${boundary}--\r\n`, 'latin1')
}

export const fileHead = (name = 'file', filename = 'a.png') =>
  `content-disposition: form-data; name="${name}"; filename="${filename}"\r\ncontent-type: image/png`
