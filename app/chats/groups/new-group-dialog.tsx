import { useEffect, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { limits } from '../../../schema/limits.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { DialogField, DialogForm } from '../../ui/forms/dialog-form.tsx'
import { useBackLayer } from '../../ui/layers/use-back-layer.ts'
import { PictureField } from '../../ui/pictures/picture-field.tsx'
import styles from './choose-members.module.css'
import { ChooseMembers, type ChosenPeople } from './choose-members.tsx'

const noOne: ChosenPeople = new Map()

/** More people than this are only counted. */
const namedMost = 12

const { nameMaxLength, descriptionMaxLength } = limits.groups

interface NewGroupDialogProps {
  messenger: Messenger
  /** The group is on this device, with or without a network. */
  onCreated(groupId: string): void
  onClose(): void
}

/** Chooses people, then the name: the group is there at once, and made on the server when that is reached. */
export function NewGroupDialog({ messenger, onCreated, onClose }: NewGroupDialogProps) {
  const [chosen, setChosen] = useState(noOne)
  const [isNaming, setIsNaming] = useState(false)
  const [given, setGiven] = useState({ name: '', description: '' })
  const [picture, setPicture] = useState<{ file: Blob; url: string }>()
  const { file } = picture ?? {}
  const { isBusy, problem, submit } = useCreation({ messenger, chosen, given, file, onCreated })
  useEffect(() => () => void (picture && URL.revokeObjectURL(picture.url)), [picture])
  useBackLayer(isNaming, () => setIsNaming(false))
  // One dialog for both steps: the focus returns to what opened it.
  return (
    <Dialog
      title="New group"
      text={
        isNaming
          ? 'Name the group. Everyone in it sees its name and picture.'
          : 'Choose who is in it.'
      }
      onClose={onClose}
    >
      {isNaming ? (
        <DialogForm
          action="Create"
          leave="Back"
          problem={problem}
          isBusy={isBusy}
          onSubmit={submit}
          onLeave={() => setIsNaming(false)}
        >
          <PictureField
            label="Group picture"
            name={given.name}
            picture={picture?.url}
            size={6}
            isGroup
            place="page"
            onSave={async (chosen) =>
              setPicture({ file: chosen, url: URL.createObjectURL(chosen) })
            }
            onRemove={async () => setPicture(undefined)}
          />
          <DialogField label="Group name">
            <input
              autoFocus
              name="group-name"
              autoComplete="off"
              maxLength={nameMaxLength}
              dir="auto"
              value={given.name}
              onChange={({ target }) => setGiven({ ...given, name: target.value })}
            />
          </DialogField>
          <DialogField label="Description (optional)">
            <textarea
              name="group-description"
              rows={3}
              maxLength={descriptionMaxLength}
              dir="auto"
              value={given.description}
              onChange={({ target }) => setGiven({ ...given, description: target.value })}
            />
          </DialogField>
          <p className={styles.members}>{describeChosen(chosen)}</p>
        </DialogForm>
      ) : (
        <>
          <ChooseMembers messenger={messenger} chosen={chosen} onChange={setChosen} />
          <div className={styles.foot}>
            <Button look="quiet" onClick={onClose}>
              Cancel
            </Button>
            <Button disabled={chosen.size === 0} onClick={() => setIsNaming(true)}>
              Next
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}

function describeChosen(chosen: ChosenPeople): string {
  const names = [...chosen.values()].map(({ username }) => username)
  const shown = names.slice(0, namedMost).join(', ')
  const rest = names.length - namedMost
  return rest > 0 ? `With ${shown} and ${rest} more` : `With ${shown}`
}

function useCreation(options: {
  messenger: Pick<Messenger, 'groups'>
  chosen: ChosenPeople
  given: { name: string; description: string }
  file: Blob | undefined
  onCreated(groupId: string): void
}) {
  const { messenger, chosen, given, file, onCreated } = options
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function create() {
    setIsBusy(true)
    setProblem(undefined)
    try {
      const { name } = given
      const description = given.description.trim()
      const memberIds = [...chosen.keys()]
      onCreated(await messenger.groups.create({ name, memberIds, description, picture: file }))
    } catch (cause) {
      setProblem(wordsOf(cause, 'Failed to create the group. Please try again.'))
      setIsBusy(false)
    }
  }

  return { isBusy, problem, submit: () => void create() }
}

interface AddMembersDialogProps {
  messenger: Messenger
  memberIds: readonly string[]
  onAdd(userIds: readonly string[]): void
  onClose(): void
}

/** Chooses people for a group that is there already. */
export function AddMembersDialog({ messenger, memberIds, onAdd, onClose }: AddMembersDialogProps) {
  const [chosen, setChosen] = useState(noOne)
  return (
    <Dialog title="Add people" onClose={onClose}>
      <ChooseMembers
        messenger={messenger}
        memberIds={memberIds}
        chosen={chosen}
        onChange={setChosen}
      />
      <div className={styles.foot}>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          disabled={chosen.size === 0}
          onClick={() => {
            onAdd([...chosen.keys()])
            onClose()
          }}
        >
          Add
        </Button>
      </div>
    </Dialog>
  )
}
