//! Random schemas, and small changes to them.

use crate::dice::Dice;
use crate::world::{Object, Part, PartKind, World};

/// What a dialect knows about making things up. Whether the server takes them is for the server to say.
pub trait Generator: Sync {
    /// Kinds of objects, in an order in which most can be created, each with how many to expect at most.
    fn kinds(&self) -> &[(&'static str, usize)];

    /// A new object of a kind, under a name or under one of its own; none if the world lacks what it needs.
    fn object(&self, dice: &mut Dice, world: &World, kind: &str, name: Option<&str>) -> Option<Object>;

    /// A new part of a table, under a name or under one of its own.
    fn part(&self, dice: &mut Dice, world: &World, table: &Object, kind: PartKind, name: Option<&str>) -> Option<Part>;

    /// Changes what stands beside the definition: options, comments, privileges.
    fn retouch(&self, dice: &mut Dice, world: &World, object: &mut Object);

    /// Whether an object of this kind stays the same object when it gets another definition.
    fn may_respin(&self, object: &Object) -> bool {
        object.parts.is_empty() || object.tail.is_empty()
    }
}

/// A schema of this many objects of every kind at most.
pub fn random_world(generator: &dyn Generator, dice: &mut Dice) -> World {
    let mut world = World::default();
    for (kind, most) in generator.kinds() {
        let wanted = dice.below(most + 1);
        for _ in 0..wanted {
            if let Some(object) = generator.object(dice, &world, kind, None) {
                world.objects.push(object);
            }
        }
    }
    world
}

/// The same schema after one to eight edits.
pub fn edited(generator: &dyn Generator, dice: &mut Dice, world: &World) -> World {
    let mut world = world.clone();
    for _ in 0..=dice.below(8) {
        edit(generator, dice, &mut world);
    }
    world
}

fn edit(generator: &dyn Generator, dice: &mut Dice, world: &mut World) {
    match dice.below(100) {
        0..12 => {
            if let Some(object) = dice.pick(&world.objects).map(Object::key) {
                world.remove(&object);
            }
        }
        12..28 => add_object(generator, dice, world),
        28..45 => respin_object(generator, dice, world),
        45..52 => remove_part(dice, world),
        52..66 => add_part(generator, dice, world),
        66..88 => respin_part(generator, dice, world),
        88..94 => reorder(dice, world),
        _ => {
            let at = dice.below(world.objects.len());
            if !world.objects.is_empty() {
                let context = world.clone();
                generator.retouch(dice, &context, &mut world.objects[at]);
            }
        }
    }
}

fn positions(world: &World, wanted: impl Fn(&Object) -> bool) -> Vec<usize> {
    world.objects.iter().enumerate().filter(|(_, object)| wanted(object)).map(|(at, _)| at).collect()
}

fn add_object(generator: &dyn Generator, dice: &mut Dice, world: &mut World) {
    let Some((kind, _)) = dice.pick(generator.kinds()).copied() else { return };
    let Some(object) = generator.object(dice, world, kind, None) else { return };
    world.objects.push(object);
}

/// Another definition under the same name. It may stand on anything that was there before the old one.
fn respin_object(generator: &dyn Generator, dice: &mut Dice, world: &mut World) {
    let candidates = positions(world, |object| generator.may_respin(object));
    let Some(at) = dice.pick(&candidates).copied() else { return };
    let old = world.objects[at].clone();
    let context = World { objects: world.objects[..at].to_vec() };
    let Some(new) = generator.object(dice, &context, old.kind, Some(&old.name)) else { return };
    let lost: Vec<String> = old
        .parts
        .iter()
        .filter(|part| !new.parts.iter().any(|other| other.name == part.name))
        .map(|part| part.name.clone())
        .collect();
    let own = old.key();
    for part in lost {
        // what stands on a column that is gone goes with it
        world.remove_part(&own, &part);
    }
    match world.objects.iter_mut().find(|object| object.key() == own) {
        Some(place) => *place = new,
        None => world.objects.push(new),
    }
}

fn remove_part(dice: &mut Dice, world: &mut World) {
    let tables = positions(world, |object| !object.tail.is_empty() && object.parts.len() > 1);
    let Some(table) = dice.pick(&tables).map(|at| world.objects[*at].clone()) else { return };
    if let Some(part) = dice.pick(&table.parts) {
        world.remove_part(&table.key(), &part.name);
    }
}

fn part_kind(dice: &mut Dice) -> PartKind {
    if dice.chance(65) { PartKind::Column } else { PartKind::Constraint }
}

fn add_part(generator: &dyn Generator, dice: &mut Dice, world: &mut World) {
    let tables = positions(world, |object| !object.tail.is_empty());
    let Some(at) = dice.pick(&tables).copied() else { return };
    let kind = part_kind(dice);
    if let Some(part) = generator.part(dice, world, &world.objects[at], kind, None) {
        let columns = world.objects[at].columns().len();
        let place = if dice.chance(50) { columns } else { dice.below(columns + 1) };
        let parts = &mut world.objects[at].parts;
        parts.insert(place.min(parts.len()), part);
    }
}

fn respin_part(generator: &dyn Generator, dice: &mut Dice, world: &mut World) {
    let tables = positions(world, |object| !object.tail.is_empty() && !object.parts.is_empty());
    let Some(at) = dice.pick(&tables).copied() else { return };
    let place = dice.below(world.objects[at].parts.len());
    let old = world.objects[at].parts[place].clone();
    let mut table = world.objects[at].clone();
    // it cannot name itself, nor what names it
    let own = table.part_key(&old.name);
    table.parts.retain(|part| part.name != old.name && !part.uses.contains(&own));
    if let Some(part) = generator.part(dice, world, &table, old.kind, Some(&old.name)) {
        world.objects[at].parts[place] = part;
    }
}

fn reorder(dice: &mut Dice, world: &mut World) {
    let tables = positions(world, |object| !object.tail.is_empty() && object.columns().len() > 1);
    let Some(at) = dice.pick(&tables).copied() else { return };
    let columns: Vec<usize> =
        (0..world.objects[at].parts.len()).filter(|part| world.objects[at].parts[*part].is_column()).collect();
    if let [first, second, ..] = dice.some(&columns, 2)[..] {
        world.objects[at].parts.swap(first, second);
    }
}
