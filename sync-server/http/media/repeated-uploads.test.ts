import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'
import { testBytes, uploadFile } from '../../testing/test-files.ts'

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterAll(() => opened.app.close())

const countFiles = () =>
  opened.app.whileStopped(async (storage) => {
    const documents = await storage.database('media').range({})
    return documents.filter(({ _id }) => _id.startsWith('file:')).length
  })

const upload = (who: TestPerson, key?: string) =>
  uploadFile(opened.app, who, { bytes: testBytes.png(300_000), filename: 'a.png', key })

test('P2: an upload that is repeated with its key is one file, one after the other and side by side', async () => {
  const key = '01900000-0000-4000-8000-000000000001'
  const first = await upload(opened.ann, key)
  expect(first.status).toBe(201)
  expect((await upload(opened.ann, key)).body).toEqual(first.body)
  const other = '01900000-0000-4000-8000-000000000002'
  const twice = await Promise.all([upload(opened.ann, other), upload(opened.ann, other)])
  expect(twice[0].body.mediaUrl).toBe(twice[1].body.mediaUrl)
  expect(await countFiles()).toBe(2)
})

test("P8: another person's upload with the same key is a file of its own, and so is one without", async () => {
  const key = '01900000-0000-4000-8000-000000000003'
  const before = await countFiles()
  const [ann, ben] = [await upload(opened.ann, key), await upload(opened.ben, key)]
  expect(ann.body.mediaUrl).not.toBe(ben.body.mediaUrl)
  expect((await upload(opened.ann)).status).toBe(201)
  expect(await countFiles()).toBe(before + 3)
})
