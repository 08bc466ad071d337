import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import styles from './new-chat-dialog.module.css'
import { PeopleFinder } from './people-finder.tsx'
import { PersonLink } from './person-link.tsx'

interface NewChatDialogProps {
  messenger: Messenger
  /** Opens 'Search by Phone Number' in this one's place. */
  onPhoneSearch(): void
  /** Chooses the people of a group in this one's place; undefined where the server has none. */
  onNewGroup: (() => void) | undefined
  /** Opens the invite link in this one's place. */
  onInvite(): void
  onClose(): void
}

/** Finds somebody to chat with, by name, email address or phone number. */
export function NewChatDialog(props: NewChatDialogProps) {
  const { messenger, onClose } = props
  return (
    <Dialog title="New chat" onClose={onClose}>
      <PeopleFinder
        messenger={messenger}
        name="new-chat"
        label="Name, email or phone number"
        controls="button, a"
        itemSize={64}
        draw={(person) => (
          <PersonLink key={person._id} person={person} messenger={messenger} onChoose={onClose} />
        )}
      >
        <div className={styles.ways}>
          {props.onNewGroup && <Way icon="users" label="New group" onClick={props.onNewGroup} />}
          <Way icon="phone" label="Search by Phone Number" onClick={props.onPhoneSearch} />
          <Way icon="share" label="Invite by link or QR code" onClick={props.onInvite} />
        </div>
      </PeopleFinder>
      <div className={styles.foot}>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  )
}

function Way({ icon, label, onClick }: { icon: IconName; label: string; onClick(): void }) {
  return (
    <button type="button" className={styles.way} onClick={onClick}>
      <span className={styles.sign}>
        <Icon name={icon} size={20} />
      </span>
      {label}
    </button>
  )
}
