import { Button } from '../../ui/buttons/button.tsx'
import { BackLink } from '../navigation/back-link.tsx'
import styles from './loading-chat.module.css'
import type { PeerState } from './use-peer.ts'

/** A conversation with a person who is not on the device yet. */
export function LoadingChat({ peer }: { peer: Exclude<PeerState, { state: 'known' }> }) {
  return (
    <section className={styles.pane} aria-label="Chat">
      <div className={styles.back}>
        <BackLink to="/chat" label="Back to chats" />
      </div>
      {peer.state === 'loading' ? (
        <p role="status">Loading chat...</p>
      ) : (
        <>
          <p role="alert">Failed to load chat</p>
          <Button onClick={peer.retry}>Try Again</Button>
        </>
      )}
    </section>
  )
}
