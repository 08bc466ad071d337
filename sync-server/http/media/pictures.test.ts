import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../../schema/limits.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'
import { testBytes, uploadPicture } from '../../testing/test-files.ts'

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterAll(() => opened.app.close())

const readOwn = async ({ token }: TestPerson) =>
  (await opened.app.call('GET', '/api/users/me', { token })).body

describe('a profile picture', () => {
  it('is in its owner’s record, and for everybody to see', async () => {
    const answer = await uploadPicture(opened.app, opened.ann, { bytes: testBytes.jpeg() })
    expect(answer).toEqual({
      status: 200,
      body: { profilePicture: expect.stringMatching(/^\/api\/media\//) },
    })
    const { profilePicture } = answer.body
    expect((await readOwn(opened.ann)).profilePicture).toBe(profilePicture)
    const { token } = opened.ben
    const shown = await opened.app.call('GET', `/api/users/${opened.ann.userId}`, { token })
    expect(shown.body.profilePicture).toBe(profilePicture)
    const seen = await opened.app.call('GET', profilePicture, { token })
    expect([seen.status, seen.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect((await opened.app.call('GET', profilePicture)).status).toBe(401)
  })

  it('that is taken out of the record is for nobody else any more', async () => {
    const { profilePicture } = (
      await uploadPicture(opened.app, opened.ann, { bytes: testBytes.png() })
    ).body
    const body = { profilePicture: null }
    await opened.app.call('PUT', '/api/users/profile', { token: opened.ann.token, body })
    const { token } = opened.ben
    expect((await opened.app.call('GET', profilePicture, { token })).status).toBe(404)
  })

  it('takes the place of the one before', async () => {
    const urls: string[] = []
    for (const bytes of [testBytes.png(), testBytes.jpeg(), testBytes.png(900_000)]) {
      urls.push((await uploadPicture(opened.app, opened.ann, { bytes })).body.profilePicture)
    }
    const { token } = opened.ann
    const statuses = urls.map(async (url) => (await opened.app.call('GET', url, { token })).status)
    expect(await Promise.all(statuses)).toEqual([404, 404, 200])
  })

  it.each([
    ['nothing', { bytes: Buffer.alloc(0) }, 400, 'picture_required', 'Image file is required'],
    [
      'another part',
      { bytes: testBytes.png(), fieldName: 'file' },
      400,
      'picture_required',
      'Image file is required',
    ],
    [
      'a page that is called a picture',
      { bytes: Buffer.from('<html>'), filename: 'a.png', mimeType: 'image/png' },
      415,
      'picture_type_not_allowed',
      'Invalid file type. Please upload a JPEG, PNG, or WebP image.',
    ],
    [
      'a picture of another kind',
      { bytes: Buffer.from('GIF89a'), filename: 'a.gif', mimeType: 'image/gif' },
      415,
      'picture_type_not_allowed',
      'Invalid file type. Please upload a JPEG, PNG, or WebP image.',
    ],
    [
      'a large file of another kind',
      { bytes: testBytes.pdf(limits.pictureInputMaxBytes + 1) },
      415,
      'picture_type_not_allowed',
      'Invalid file type. Please upload a JPEG, PNG, or WebP image.',
    ],
    [
      'a picture that is too large',
      { bytes: testBytes.png(limits.pictureInputMaxBytes + 1) },
      413,
      'file_too_large',
      'File size too large. Maximum size is 5MB.',
    ],
  ])('is not replaced by %s', async (_what, file, status, code, error) => {
    const before = (await readOwn(opened.ann)).profilePicture
    const answer = await uploadPicture(opened.app, opened.ann, file)
    expect(answer).toEqual({ status, body: { error, code } })
    expect((await readOwn(opened.ann)).profilePicture).toBe(before)
  })

  it('may have every byte of five megabytes', async () => {
    const bytes = testBytes.png(limits.pictureInputMaxBytes)
    expect((await uploadPicture(opened.app, opened.ann, { bytes })).status).toBe(200)
  })

  it('uploaded many times at once: one of them stays', async () => {
    const tries = await Promise.all(
      [1, 2, 3].map((size) =>
        uploadPicture(opened.app, opened.ben, { bytes: testBytes.png(size * 1000) }),
      ),
    )
    expect(tries.map(({ status }) => status)).toEqual([200, 200, 200])
    const { profilePicture } = await readOwn(opened.ben)
    const { token } = opened.ann
    expect((await opened.app.call('GET', profilePicture, { token })).status).toBe(200)
  })
})

describe('where people see their contacts only', () => {
  it('a picture is for these', async () => {
    const app = await startTestApp({ DIRECTORY: 'contacts' })
    const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
    const { profilePicture } = (await uploadPicture(app, ann, { bytes: testBytes.png() })).body
    expect((await app.call('GET', profilePicture, { token: ann.token })).status).toBe(200)
    expect((await app.call('GET', profilePicture, { token: ben.token })).status).toBe(404)
    await app.close()
  })
})
