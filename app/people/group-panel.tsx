import { useState } from 'react'
import type { GroupChange, GroupSettings } from '../../schema/group.ts'
import { unreachable } from '../../schema/helpers/assertions.ts'
import { limits } from '../../schema/limits.ts'
import {
  type KnownGroup,
  type KnownMember,
  nameOf,
  pictureOf,
} from '../database/storage/known-peer.ts'
import { findGroupCreation } from '../database/storage/queued-request.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { ConfirmDialog } from '../ui/dialogs/confirm-dialog.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { useAttempt } from '../ui/dialogs/lazy-dialogs.tsx'
import { DialogField, DialogForm } from '../ui/forms/dialog-form.tsx'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { LazyActionMenu } from '../ui/menus/lazy-action-menu.tsx'
import type { MenuAction, MenuPoint } from '../ui/menus/menu-action.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { PictureField } from '../ui/pictures/picture-field.tsx'
import { describePlainChat } from '../ui/text/describe-plain-chat.ts'
import panel from './contact-panel.module.css'
import { InviteRows } from './group-invites.tsx'
import styles from './group-panel.module.css'
import { listMemberActions, readRights, sortMembers } from './list-member-actions.ts'
import { Fact, InfoPanel, MuteRow, StarredRow } from './panel-parts.tsx'
import { PanelRow } from './panel-row.tsx'
import { RiskyActions } from './risky-actions.tsx'

const shownAtFirst = 20
const shownMore = 100
const { nameMaxLength, descriptionMaxLength } = limits.groups

interface GroupPanelProps {
  messenger: Messenger
  group: KnownGroup
  /** Does it take the chat's place? Else it lies beside the chat. */
  isPage: boolean
  /** Back to the chat. */
  onClose(): void
  onSearch(): void
  onOpenMedia(): void
  onOpenEncryption(): void
  onGoToMessage(messageId: string): void
  /** The chat was deleted: there is nothing to return to. */
  onDeleted(): void
  /** Opens the chat with a member. */
  onOpenChat(userId: string): void
  /** Chooses people to add. */
  onAddPeople(): void
}

type Change = Exclude<GroupChange, { kind: 'create' }>

interface PartProps {
  messenger: Messenger
  group: KnownGroup
  /** Asks for a change, which shows at once. */
  change(change: Change): void
}

/** Everything about a group, and what this person may change of it, from what this device knows. */
export function GroupPanel(props: GroupPanelProps) {
  const { messenger, group, isPage, onClose } = props
  const groupId = group._id
  const row = useLivePart(messenger.conversations, (rows) =>
    rows.find((each) => each.peerId === groupId),
  )
  const { attempt, failure } = useAttempt()
  const rights = readRights(group, messenger.userId)
  // Only the server can give a link, and only into a group that it has.
  const isMade = useLivePart(
    messenger.requests.entries,
    (entries) => findGroupCreation(entries, groupId) === undefined,
  )
  const part: PartProps = {
    messenger,
    group,
    change: (change) =>
      attempt(messenger.groups.change(groupId, change), 'Failed to change the group'),
  }
  const shared = { messenger, peerId: groupId, name: nameOf(group), attempt }
  const nameOfAuthor = (userId: string) => nameOf(messenger.users.get(userId).getSnapshot())
  return (
    <InfoPanel title="Group info" isPage={isPage} onClose={onClose} over={failure}>
      <Face {...part} isIn={rights.isIn} canDescribe={rights.canDescribe} />
      {group.description !== '' && (
        <dl className={panel.facts}>
          <Fact name="Description">{group.description}</Fact>
        </dl>
      )}
      {rights.canDescribe && <Descriptions {...part} />}
      <ul className={panel.rows}>
        <PanelRow icon="picture" label="Media, files and links" onClick={props.onOpenMedia} isWay />
        {rights.isIn && <EncryptionRow {...part} onOpen={props.onOpenEncryption} />}
        <StarredRow {...shared} nameOf={nameOfAuthor} onGoToMessage={props.onGoToMessage} />
        <PanelRow icon="search" label="Search in this chat" onClick={props.onSearch} />
        {rights.isIn && row && <MuteRow {...shared} row={row} />}
      </ul>
      {rights.isAdmin && isMade && (
        <ul className={panel.rows} aria-label="Invitations">
          <InviteRows messenger={messenger} group={group} />
        </ul>
      )}
      {rights.isAdmin && <Settings {...part} />}
      {/* Who is in it now is told to members alone. */}
      {rights.isIn && (
        <Members
          {...part}
          isAdmin={rights.isAdmin}
          onOpenChat={props.onOpenChat}
          onAddPeople={props.onAddPeople}
        />
      )}
      {rights.isIn && <Leaving {...part} isOwner={rights.isOwner} />}
      <RiskyActions
        {...shared}
        isBlocked={false}
        canBlock={false}
        isGroup
        hasChat={row !== undefined}
        onDeleted={props.onDeleted}
      />
    </InfoPanel>
  )
}

function Face(props: PartProps & { isIn: boolean; canDescribe: boolean }) {
  const { messenger, group, isIn, canDescribe } = props
  const isWaiting = useLivePart(messenger.requests.entries, (entries) =>
    entries.some(
      ({ request, state }) =>
        state === 'waiting' && request.kind === 'group' && request.groupId === group._id,
    ),
  )
  const isLive = useLivePart(messenger.connection, ({ state }) => state === 'live')
  const name = nameOf(group)
  return (
    <div className={panel.face}>
      {canDescribe ? (
        <PictureField
          label="Group picture"
          name={name}
          picture={pictureOf(group)}
          isGroup
          place="page"
          onSave={(picture) => messenger.groups.changePicture(group._id, picture)}
          onRemove={() => messenger.groups.changePicture(group._id, null)}
        />
      ) : (
        <Avatar name={name} picture={pictureOf(group)} size={8} isGroup />
      )}
      <p className={panel.name} dir="auto">
        {name}
      </p>
      <p className={panel.presence}>
        {isIn ? `Group · ${countMembers(group)}` : "You aren't in this group"}
      </p>
      <p className={styles.wait} role="status">
        {isWaiting && !isLive && (
          <>
            <Icon name="clock" size={16} /> Changes are sent when you're back online.
          </>
        )}
      </p>
    </div>
  )
}

function countMembers({ members }: KnownGroup): string {
  return members.length === 1 ? '1 member' : `${members.length.toLocaleString('en')} members`
}

/** Leads to how the group is encrypted, and who in it has no keys. */
function EncryptionRow({ messenger, group, onOpen }: PartProps & { onOpen(): void }) {
  const state = useLiveValue(messenger.encryption.of(group._id))
  if (state === 'off') return null
  const about =
    state === 'locked' ? 'Locked on this device.' : 'Only its members can read new messages.'
  return (
    <PanelRow
      icon={state === 'plain' ? 'warning' : 'lock'}
      label="Encryption"
      note={
        state === 'plain'
          ? describePlainChat({ ...group, username: nameOf(group) })
          : `End-to-end encrypted. ${about}`
      }
      onClick={onOpen}
      isWay
    />
  )
}

/** The rows that change what the group is called and what it is about. */
function Descriptions({ group, change }: PartProps) {
  const [edited, setEdited] = useState<'name' | 'description'>()
  const close = () => setEdited(undefined)
  return (
    <ul className={panel.rows}>
      <PanelRow icon="edit" label="Change name" onClick={() => setEdited('name')} />
      <PanelRow
        icon="file"
        label={group.description === '' ? 'Add a description' : 'Change description'}
        onClick={() => setEdited('description')}
      />
      {edited === 'name' && (
        <TextDialog
          title="Change name"
          label="Group name"
          initial={group.name}
          maxLength={nameMaxLength}
          problem="A group needs a name."
          onSave={(name) => change({ kind: 'rename', name })}
          onClose={close}
        />
      )}
      {edited === 'description' && (
        <TextDialog
          title={group.description === '' ? 'Add a description' : 'Change description'}
          label="Description"
          initial={group.description}
          maxLength={descriptionMaxLength}
          isLong
          onSave={(description) => change({ kind: 'describe', description })}
          onClose={close}
        />
      )}
    </ul>
  )
}

interface TextDialogProps {
  title: string
  label: string
  initial: string
  maxLength: number
  isLong?: boolean
  /** Said where nothing is written; without it, that is allowed. */
  problem?: string
  onSave(text: string): void
  onClose(): void
}

function TextDialog(props: TextDialogProps) {
  const { title, label, initial, maxLength, isLong, onSave, onClose } = props
  const [text, setText] = useState(initial)
  const [problem, setProblem] = useState<string>()
  const field = {
    name: 'text',
    dir: 'auto',
    maxLength,
    value: text,
    autoComplete: 'off',
  } as const
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action="Save"
        problem={problem}
        onSubmit={() => {
          const written = text.trim()
          if (written === '' && props.problem) return setProblem(props.problem)
          if (written !== initial) onSave(written)
          onClose()
        }}
        onLeave={onClose}
      >
        <DialogField label={label}>
          {isLong ? (
            <textarea {...field} rows={4} onChange={({ target }) => setText(target.value)} />
          ) : (
            <input {...field} onChange={({ target }) => setText(target.value)} />
          )}
        </DialogField>
      </DialogForm>
    </Dialog>
  )
}

const everyone = { label: 'Everyone in the group', icon: 'users' } as const
const onlyAdmins = { label: 'Only admins', icon: 'shield' } as const

/** What admins decide for all. */
function Settings({ group, change }: PartProps) {
  const { whoWrites, whoChanges, showsHistory } = group.settings
  const set = (settings: Partial<GroupSettings>) => change({ kind: 'settings', settings })
  return (
    <ul className={panel.rows} aria-label="Group settings">
      <ChoiceRow
        icon="chats"
        label="Who can send messages"
        isFirst={whoWrites === 'all'}
        choices={[everyone, onlyAdmins]}
        onChoose={(isFirst) => set({ whoWrites: isFirst ? 'all' : 'admins' })}
      />
      <ChoiceRow
        icon="edit"
        label="Who can change the name, picture and description"
        isFirst={whoChanges === 'all'}
        choices={[everyone, onlyAdmins]}
        onChoose={(isFirst) => set({ whoChanges: isFirst ? 'all' : 'admins' })}
      />
      <ChoiceRow
        icon="eye"
        label="What new members see"
        isFirst={!showsHistory}
        choices={[
          { label: 'Messages from when they join', icon: 'hide' },
          { label: 'Earlier messages, too', icon: 'eye' },
        ]}
        onChoose={(isFirst) => set({ showsHistory: !isFirst })}
      />
    </ul>
  )
}

type Choice = Pick<MenuAction, 'label' | 'icon'>

interface ChoiceRowProps extends Choice {
  choices: readonly [Choice, Choice]
  /** Is the first of them chosen? */
  isFirst: boolean
  onChoose(isFirst: boolean): void
}

/** A setting of two values, in a menu. */
function ChoiceRow({ icon, label, choices, isFirst, onChoose }: ChoiceRowProps) {
  const [point, setPoint] = useState<MenuPoint>()
  return (
    <PanelRow
      icon={icon}
      label={label}
      note={choices[isFirst ? 0 : 1].label}
      opens="menu"
      onClick={(event) => setPoint(pointUnder(event.currentTarget))}
    >
      {point && (
        <LazyActionMenu
          label={label}
          point={point}
          actions={choices.map((choice, at) => ({
            ...choice,
            // The chosen one.
            ...((at === 0) === isFirst && { icon: 'check' as const }),
            onSelect: () => (at === 0) !== isFirst && onChoose(at === 0),
          }))}
          onClose={() => setPoint(undefined)}
        />
      )}
    </PanelRow>
  )
}

function pointUnder(element: HTMLElement): MenuPoint {
  const box = element.getBoundingClientRect()
  return { x: box.left + 16, y: box.bottom }
}

interface MembersProps extends PartProps {
  isAdmin: boolean
  onOpenChat(userId: string): void
  onAddPeople(): void
}

interface OpenMenu {
  member: KnownMember
  name: string
  point: MenuPoint
}

type Asked = { what: 'remove' | 'owner' } & Pick<OpenMenu, 'member' | 'name'>

/** Who is in the group with which role, and what this person may do with each. */
function Members(props: MembersProps) {
  const { messenger, group, change, isAdmin, onOpenChat, onAddPeople } = props
  const [limit, setLimit] = useState(shownAtFirst)
  const [menu, setMenu] = useState<OpenMenu>()
  const [asked, setAsked] = useState<Asked>()
  const sorted = sortMembers(group.members, messenger.userId)

  const toAction = (
    what: ReturnType<typeof listMemberActions>[number],
    { member, name }: OpenMenu,
  ): MenuAction => {
    const { userId } = member
    switch (what) {
      case 'message':
        return { label: `Message ${name}`, icon: 'chats', onSelect: () => onOpenChat(userId) }
      case 'admin':
      case 'member':
        return {
          label: what === 'admin' ? 'Make admin' : 'Make member',
          icon: what === 'admin' ? 'shield' : 'person',
          onSelect: () => change({ kind: 'role', userId, role: what }),
        }
      case 'owner':
        return {
          label: 'Make owner',
          icon: 'key',
          onSelect: () => setAsked({ what, member, name }),
        }
      case 'remove':
        return {
          label: `Remove ${name}`,
          icon: 'clear',
          isDanger: true,
          startsSection: true,
          onSelect: () => setAsked({ what, member, name }),
        }
      default:
        return unreachable(what)
    }
  }

  return (
    <section className={styles.members} aria-labelledby="members-heading">
      <h3 id="members-heading">{countMembers(group)}</h3>
      <ul>
        {isAdmin && (
          <li>
            <button
              type="button"
              className={styles.member}
              aria-haspopup="dialog"
              onClick={onAddPeople}
            >
              <span className={styles.sign}>
                <Icon name="attach" size={22} />
              </span>
              <span className={styles.name}>Add people</span>
            </button>
          </li>
        )}
        {sorted.slice(0, limit).map((member) => (
          <li key={member.userId}>
            <Member
              messenger={messenger}
              member={member}
              isMenuOpen={menu?.member.userId === member.userId}
              onMenu={(name, point) => setMenu({ member, name, point })}
            />
          </li>
        ))}
      </ul>
      {sorted.length > limit && (
        <Button className={styles.more} look="quiet" onClick={() => setLimit(limit + shownMore)}>
          Show more
        </Button>
      )}
      {menu && (
        <LazyActionMenu
          label={`Actions for ${menu.name}`}
          point={menu.point}
          actions={listMemberActions(group, messenger.userId, menu.member).map((what) =>
            toAction(what, menu),
          )}
          onClose={() => setMenu(undefined)}
        />
      )}
      {asked?.what === 'remove' && (
        <ConfirmDialog
          title={`Remove ${asked.name} from “${nameOf(group)}”?`}
          text={`${asked.name} keeps the messages from before, and gets no new ones.`}
          confirmLabel="Remove"
          isDanger
          onConfirm={() => change({ kind: 'remove', userId: asked.member.userId })}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked?.what === 'owner' && (
        <ConfirmDialog
          title={`Make ${asked.name} the owner?`}
          text={`You stay an admin. Only ${asked.name} can make somebody else the owner then.`}
          confirmLabel="Make owner"
          onConfirm={() => change({ kind: 'role', userId: asked.member.userId, role: 'owner' })}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  )
}

const roleNames = { owner: 'Owner', admin: 'Admin', member: undefined } as const

interface MemberProps {
  messenger: Messenger
  member: KnownMember
  isMenuOpen: boolean
  onMenu(name: string, point: MenuPoint): void
}

function Member({ messenger, member, isMenuOpen, onMenu }: MemberProps) {
  const { userId, role } = member
  const person = useLiveValue(messenger.users.get(userId))
  const isSelf = userId === messenger.userId
  const name = nameOf(person)
  const inside = (
    <>
      <Avatar name={name} picture={pictureOf(person)} size={2.5} />
      <span className={styles.name} dir="auto">
        {isSelf ? 'You' : name}
      </span>
      {roleNames[role] && <span className={styles.role}>{roleNames[role]}</span>}
    </>
  )
  if (isSelf) return <div className={styles.member}>{inside}</div>
  return (
    <button
      type="button"
      className={styles.member}
      aria-haspopup="menu"
      aria-expanded={isMenuOpen}
      onClick={({ currentTarget }) => onMenu(name, pointUnder(currentTarget))}
    >
      {inside}
    </button>
  )
}

/** Leaves the group, after a question. */
function Leaving({ group, change, isOwner }: PartProps & { isOwner: boolean }) {
  const [isAsked, setIsAsked] = useState(false)
  const heir = isOwner && group.members.length > 1 ? ' Another member becomes the owner.' : ''
  return (
    <ul className={panel.rows}>
      <PanelRow icon="logout" label="Leave group" isDanger onClick={() => setIsAsked(true)} />
      {isAsked && (
        <ConfirmDialog
          title={`Leave “${nameOf(group)}”?`}
          text={`You keep the messages you have, and get no new ones.${heir}`}
          confirmLabel="Leave"
          isDanger
          onConfirm={() => change({ kind: 'leave' })}
          onClose={() => setIsAsked(false)}
        />
      )}
    </ul>
  )
}
