import { afterEach, describe, expect, it } from 'vitest'
import { openTestRequest, readTestLevel, type TestRequest } from '../testing/open-test-request.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { fileHead, testBytes, uploadFile, writeForm } from '../testing/test-files.ts'
import type { BudgetLimits } from './budget-limits.ts'

const opened = { uploads: [] as TestRequest[] } as { app: TestApp; uploads: TestRequest[] }
afterEach(async () => {
  for (const upload of opened.uploads.splice(0)) upload.hangUp()
  await opened.app.close()
})

const form = writeForm([{ head: fileHead(), body: testBytes.png(600_000) }])

/** An upload that stalls after its beginning. */
async function holdUpload({ token }: TestPerson, sent = 300) {
  const upload = await openTestRequest({
    port: opened.app.port,
    token,
    method: 'POST',
    path: '/api/messages/upload',
    headers: {
      'content-type': 'multipart/form-data; boundary=petrel',
      'content-length': String(form.length),
    },
  })
  upload.send(form.subarray(0, sent))
  opened.uploads.push(upload)
  return upload
}

async function open(budget: Partial<BudgetLimits>, names: string[]) {
  opened.app = await startTestApp({}, { budget })
  const people: TestPerson[] = []
  for (const name of names) people.push(await opened.app.register(name))
  return people
}

const countUploads = () => readTestLevel(opened.app, 'petrel_uploads')
const upload = (who: TestPerson) =>
  uploadFile(opened.app, who, { bytes: testBytes.png(2_000), filename: 'a.png' })
const endOf = (held: TestRequest) => held.closed.then(({ status, text }) => ({ status, text }))

describe('P12: slow uploads', () => {
  it('of sixteen people, four each, keep nobody from uploading', async () => {
    const names = Array.from({ length: 16 }, (_, index) => `Slow-${index}`)
    const people = await open({}, [...names, 'Ben'])
    const ben = people.pop() as TestPerson
    for (const person of people) for (const _ of '1234') await holdUpload(person)
    await expect.poll(countUploads).toBe(64)
    // A caller without uploads gets in at once, at the cost of one with several.
    expect((await upload(ben)).status).toBe(201)
    const ended = await Promise.race(opened.uploads.map(endOf))
    expect([408, 503]).toContain(ended.status)
    expect(ended.text).toMatch(/^retry-after: \d+\r$/im)
    expect(opened.uploads.filter((one) => one.isClosed())).toHaveLength(1)
  })

  it('of one each give way once they are late', async () => {
    const people = await open({ uploadsOverall: 2, lateAfterMs: 300 }, ['Ann', 'Anna', 'Ben'])
    const ben = people.pop() as TestPerson
    for (const person of people) await holdUpload(person)
    await expect.poll(countUploads).toBe(2)
    await expect.poll(async () => (await upload(ben)).status).toBe(201)
    const ended = await Promise.race(opened.uploads.map(endOf))
    expect(ended.status).toBe(408)
    expect(ended.text).toContain('The upload stopped on its way. Please try it again.')
  })

  it('of one each leave no room for one more, who is told to come again', async () => {
    // Nobody is late, however slow this machine is.
    const people = await open({ uploadsOverall: 2, lateAfterMs: 60_000 }, ['Ann', 'Anna', 'Ben'])
    const ben = people.pop() as TestPerson
    for (const person of people) await holdUpload(person)
    await expect.poll(countUploads).toBe(2)
    const refused = await upload(ben)
    expect([refused.status, refused.body.code]).toEqual([503, 'busy'])
    opened.uploads[0]?.hangUp()
    await expect.poll(async () => (await upload(ben)).status).toBe(201)
  })

  it('of one’s own that hang since the line broke give way to the next try', async () => {
    const [ann] = await open({ lateAfterMs: 300 }, ['Ann'])
    for (const _ of '1234') await holdUpload(ann as TestPerson)
    await expect.poll(countUploads).toBe(4)
    await expect.poll(async () => (await upload(ann as TestPerson)).status).toBe(201)
  })

  it('that drip are given up, whether or not anybody waits', async () => {
    const [ann] = await open({ patienceMs: 800, strangerPatienceMs: 800 }, ['Ann'])
    const held = await holdUpload(ann as TestPerson)
    const dripping = setInterval(() => held.send('x'), 50)
    const { status } = await held.closed
    clearInterval(dripping)
    expect(status).toBe(408)
    await expect.poll(countUploads).toBe(0)
  })
})
