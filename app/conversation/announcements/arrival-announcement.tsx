import type { MessageDocument } from '../../../schema/message.ts'
import { VisuallyHidden } from '../../ui/layout/visually-hidden.tsx'
import { describeMessage } from '../../ui/text/describe-message.ts'
import type { Failure } from './find-failure.ts'
import type { ReactionWords } from './use-reaction-news.ts'

interface ArrivalAnnouncementProps {
  arrival: MessageDocument | undefined
  reaction: ReactionWords | undefined
  failure: Failure | undefined
  peerName: string
}

/** Announces arriving messages and failed ones to screen readers, wherever the focus is. */
export function ArrivalAnnouncement({
  arrival,
  reaction,
  failure,
  peerName,
}: ArrivalAnnouncementProps) {
  return (
    <VisuallyHidden>
      <span role="status">
        {/* The key makes screen readers announce the same words again. */}
        {arrival && <span key={arrival._id}>{`${peerName}: ${describeMessage(arrival)}`}</span>}
      </span>
      <span role="status">{reaction && <span key={reaction.key}>{reaction.words}</span>}</span>
      <span role="status">{failure && <span key={failure.key}>{failure.words}</span>}</span>
    </VisuallyHidden>
  )
}
