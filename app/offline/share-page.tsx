import { findRecipients } from '../database/search/find-recipients.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { formatBytes } from '../ui/format/format-amounts.ts'
import { ChoosePeople } from '../ui/forms/choose-people.tsx'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { Page } from '../ui/layout/page.tsx'
import styles from './share-page.module.css'
import type { SharedItem } from './shared-item.ts'

interface SharePageProps {
  messenger: Pick<Messenger, 'blocked' | 'conversations' | 'userId' | 'users'>
  /** The pending item; undefined if there is none. */
  item: SharedItem | undefined
  /** Why a part of it is missing, in words. */
  problem: string | undefined
  onChoose(peerId: string): void
  onDiscard(): void
  onBack(): void
}

/** Lets the person choose the chat for an item shared by another app. */
export function SharePage({ item, problem, onBack, ...rest }: SharePageProps) {
  const rows = useLiveValue(rest.messenger.conversations)
  const everybody = useLiveValue(rest.messenger.users.list())
  const blocked = useLiveValue(rest.messenger.blocked)
  const isSendable = item !== undefined && (item.text !== '' || item.files.length > 0)
  return (
    <Page title="Share to…" backLabel="Back to chats" onBack={onBack}>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      {item ? (
        <Given item={item} onDiscard={rest.onDiscard} />
      ) : (
        <p className={styles.empty}>Nothing is waiting to be shared.</p>
      )}
      {isSendable && (
        <ChoosePeople
          find={(name) =>
            findRecipients({ rows, everybody, blocked, name, ownId: rest.messenger.userId })
          }
          drawChoice={({ _id }, { className, inside }) => (
            <button type="button" className={className} onClick={() => rest.onChoose(_id)}>
              {inside}
            </button>
          )}
        />
      )}
    </Page>
  )
}

function Given({ item, onDiscard }: { item: SharedItem; onDiscard(): void }) {
  return (
    <section className={styles.given} aria-label="What you share">
      {item.text && (
        <p className={styles.text} dir="auto">
          {item.text}
        </p>
      )}
      {item.files.length > 0 && (
        <ul className={styles.files}>
          {item.files.map(({ key, file }) => (
            <li key={key} className={styles.file}>
              <Icon name={file.type.startsWith('image/') ? 'picture' : 'file'} size={20} />
              <span className={styles.fileName} dir="auto">
                {file.name}
              </span>
              <span className={styles.size}>{formatBytes(file.size)}</span>
            </li>
          ))}
        </ul>
      )}
      {item.problems.map((words) => (
        <p key={words} className={styles.problem} role="alert">
          {words}
        </p>
      ))}
      <div className={styles.foot}>
        <Button look="quiet" onClick={onDiscard}>
          Discard
        </Button>
      </div>
    </section>
  )
}
