import { useEffect, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import type { OutboxView } from '../../sync/outbox/outbox-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { copyText } from '../../ui/text/copy-text.ts'
import styles from './outbox.module.css'
import { OutboxRow, type OutboxRowActions } from './outbox-row.tsx'
import { OwedRow } from './owed-row.tsx'
import { useNow } from './use-now.ts'

const stillOffline = "You're still offline. Everything here is sent when you're back."

interface OutboxListProps {
  view: OutboxView
  messenger: Messenger
}

/** What was not sent, what waits, and what waits to change on the server. */
export function OutboxList({ view, messenger }: OutboxListProps) {
  const page = useLiveValue(view.page)
  const counts = useLiveValue(messenger.outbox)
  const [said, setSaid] = useState('')
  const isOffline = useLivePart(messenger.connection, ({ state }) => state === 'offline')
  useEffect(() => {
    if (!isOffline) setSaid((now) => (now === stillOffline ? '' : now))
  }, [isOffline])
  const now = useNow(1_000)
  if (!page) return <p role="status">Loading...</p>

  const run = (work: Promise<unknown>, done = '') =>
    void work.then(
      () => setSaid(done),
      (cause: unknown) => setSaid(wordsOf(cause)),
    )
  const { commands, requests, undo } = messenger
  const actions: OutboxRowActions = {
    retry(item) {
      if (item.kind === 'request') run(requests.retry(item.id))
      else run(commands.retryMessage(item.id))
    },
    edit: (item, text) => run(saveEdit(messenger, { item, text })),
    copy: (text) =>
      run(
        copyText(text).then((isCopied) => {
          if (!isCopied) throw new Error("Couldn't copy the text.")
        }),
        'Copied',
      ),
    discard(item) {
      if (item.kind === 'request') run(undo.removeRequest(item.entry))
      else if (item.kind === 'change') run(commands.dismissRefusal(item.id))
      else run(undo.removeMessage(item.message))
    },
  }
  const row = { view, messenger, actions, now }
  const { failed, waiting, changes, hasMore } = page
  const isEmpty = failed.length + waiting.length + changes.length === 0
  return (
    <div className={styles.outbox}>
      <p className={styles.said} role="status">
        {said}
      </p>
      {isEmpty && (
        <h2 className={styles.empty} tabIndex={-1}>
          Nothing is waiting. Everything was sent.
        </h2>
      )}
      {failed.length > 0 && (
        <section aria-labelledby="not-sent">
          <header className={styles.header}>
            <h2
              id="not-sent"
              tabIndex={-1}
            >{`Not sent · ${counts.failed.toLocaleString('en')}`}</h2>
            {failed.some(({ kind }) => kind !== 'change') && (
              <Button look="quiet" onClick={() => run(view.sendAllAgain())}>
                Send all again
              </Button>
            )}
          </header>
          <ul className={styles.list}>
            {failed.map((item) => (
              <OutboxRow key={item.id} item={item} isFailed {...row} />
            ))}
          </ul>
        </section>
      )}
      {waiting.length + changes.length > 0 && (
        <section aria-labelledby="waiting">
          <header className={styles.header}>
            <h2
              id="waiting"
              tabIndex={-1}
            >{`Waiting · ${(counts.waiting + changes.length).toLocaleString('en')}`}</h2>
            <Button
              look="quiet"
              onClick={() => {
                messenger.sendNow()
                setSaid(isOffline ? stillOffline : '')
              }}
            >
              Try now
            </Button>
          </header>
          <ul className={styles.list}>
            {waiting.map((item) => (
              <OutboxRow key={item.id} item={item} isFailed={false} {...row} />
            ))}
            {changes.map((change) => (
              <OwedRow key={change.id} change={change} messenger={messenger} now={now} />
            ))}
          </ul>
        </section>
      )}
      {hasMore && (
        <Button look="quiet" onClick={view.showMore}>
          Show more
        </Button>
      )}
    </div>
  )
}

/** A refused change of a sent message is made again; its notice is then done with. */
async function saveEdit(
  { commands }: Messenger,
  { item, text }: { item: { id: string; kind: string }; text: string },
): Promise<void> {
  await commands.editMessage(item.id, text)
  if (item.kind === 'change') await commands.dismissRefusal(item.id)
}
