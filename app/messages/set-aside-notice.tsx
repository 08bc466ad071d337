import type { MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { useLivePart } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import styles from './notice.module.css'

interface SetAsideNoticeProps {
  messenger: Pick<Messenger, 'setAside' | 'sendNow' | 'userId'>
  message: MessageDocument
}

/**
 * Why a message waits by itself while others pass: the server's own words, or that the network does
 * not let it through.
 */
export function SetAsideNotice({ messenger, message }: SetAsideNoticeProps) {
  const { _id, senderId, deletedAt } = message
  const refused = useLivePart(messenger.setAside, (all) => all.get(_id))
  if (!refused || senderId !== messenger.userId || deletedAt !== undefined) return null
  const { words, status } = refused
  return (
    <div className={joinClassNames(styles.notice, styles.offer)}>
      <p className={styles.reason} role="status">
        <Icon name="info" size={18} />
        {words ?? describeNetwork(status)}
      </p>
      <div className={styles.noticeButtons}>
        <button type="button" onClick={messenger.sendNow}>
          Try now
        </button>
      </div>
    </div>
  )
}

function describeNetwork(status: number): string {
  const what = `Your network didn't let this through to the server (answer ${status}).`
  return `${what} It's tried again later; another network may help.`
}
