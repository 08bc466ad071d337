import { startLikeCouch } from './storage/couch/describe-couches.ts'
import { startCouch } from './storage/start-couch.ts'
import { createStorage } from './storage/create-storage.ts'
for (const couch of [await startCouch(), await startLikeCouch()]) {
  const s = createStorage({ dataDir: '', couchdbUrl: couch.url })
  await s.destroy('notes')
  const n = s.database('notes')
  await n.insert({ _id: 'a' })
  console.log(await n.updateSeq(), await n.info(), (await n.changes({})).last_seq)
  await s.destroy('notes')
  await n.insert({ _id: 'a' })
  console.log(await n.updateSeq(), await n.info(), (await n.changes({})).last_seq)
  await s.close()
}
process.exit(0)
